import { ContextOverflowError } from "@langchain/core/errors";

/** Error texts of providers for a prompt that is too long. Several providers have no error class for it. */
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

/** Error texts of rate limits. They resemble an overflow, but a shorter prompt does not resolve them. */
const rateLimit = /rate limit|per minute|quota|too many requests/i;

/**
 * True when an error of any provider reports that the prompt exceeds the model's context window.
 *
 * Follows `cause`, because hosts wrap the errors of models. Never throws.
 */
export function isContextOverflow(error: unknown): boolean {
  for (let current = error, depth = 0; current !== undefined && current !== null && depth < 8; depth++) {
    if (ContextOverflowError.isInstance(current)) return true;
    const { message, code, cause } = current as { message?: unknown; code?: unknown; cause?: unknown };
    const text = [current, message, code].filter((part) => typeof part === "string").join(" ");
    if (!rateLimit.test(text) && patterns.some((pattern) => pattern.test(text))) return true;
    current = cause;
  }
  return false;
}
