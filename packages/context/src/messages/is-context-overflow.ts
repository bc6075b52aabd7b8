import { ContextOverflowError } from "@langchain/core/errors";

/** What providers say when a prompt is too long. Several raise no error class of their own. */
const patterns: readonly RegExp[] = [
  /context[_ ]length[_ ]exceeded/i,
  /maximum (context|prompt) length/i,
  /exceeds? the (model'?s? )?(maximum )?context (window|length|size)/i,
  /context window (is )?(full|exceeded|too small|exceeds limit)/i,
  /exceeds? (the )?context limit/i,
  /greater than the context length/i,
  /prompt (is )?too long/i,
  /input (is )?too long/i,
  /too many (input )?tokens/i,
  /(input|prompt) token count .*exceeds/i,
  /exceeds the (maximum|configured|available) .*(tokens|context|limit)/i,
  /input tokens exceed/i,
  /request (entity )?too large.*token/i,
  /reduce the length of (the )?(messages|prompt|input)/i,
  /(token|context) limit exceeded/i,
  /exceeded model token limit/i,
  /`inputs` tokens \+ `max_new_tokens` must be/i,
  /exceeded max(imum)? (context|token)/i,
];

/** Words of rate limits, which sound alike but which a shorter prompt does not cure at once. */
const rateLimit = /rate limit|per minute|quota|too many requests/i;

/**
 * True when an error says that the prompt did not fit the model's window, whatever provider it comes from.
 *
 * Follows `cause`, because hosts wrap what a model throws. Never throws.
 */
export function isContextOverflow(error: unknown): boolean {
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 8; depth++) {
    if (ContextOverflowError.isInstance(at)) return true;
    const { message, code, cause } = at as { message?: unknown; code?: unknown; cause?: unknown };
    const text = [at, message, code].filter((part) => typeof part === "string").join(" ");
    if (!rateLimit.test(text) && patterns.some((pattern) => pattern.test(text))) return true;
    at = cause;
  }
  return false;
}
