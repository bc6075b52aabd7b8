const statuses: ReadonlySet<unknown> = new Set([408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]);
const codes =
  /^(ECONNRESET|ECONNREFUSED|ECONNABORTED|ETIMEDOUT|EPIPE|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|EAI_AGAIN|UND_ERR_\w+)$/;
const words =
  /rate.?limit|too many requests|overloaded|temporarily unavailable|service unavailable|bad gateway|gateway time|internal server error|connection error|fetch failed|socket hang up|network error|\b(429|500|502|503|504|529)\b/i;
/** Sounds like a rate limit, and stays so until somebody pays. */
const lasting = /insufficient.?quota|billing|credit balance/i;

/**
 * True for an error that the same call may not meet again a moment later: a rate limit, a server's fault, a network's.
 *
 * Follows `cause`, because hosts wrap what a model throws. Never throws.
 */
export function isTransientError(error: unknown): boolean {
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 8; depth++) {
    const { status, statusCode, response, code, message, cause } = at as Record<string, unknown>;
    const text = typeof at === "string" ? at : typeof message === "string" ? message : "";
    if (lasting.test(typeof code === "string" ? `${text} ${code}` : text)) return false;
    const answered = (response as { status?: unknown } | null | undefined)?.status;
    if ([status, statusCode, answered].some((one) => statuses.has(one))) return true;
    // A status that says something else outweighs the words around it.
    if (typeof status === "number") return false;
    if ((typeof code === "string" && codes.test(code)) || words.test(text)) return true;
    at = cause;
  }
  return false;
}
