import { RE2JS } from "re2js";
import { FileError, showValue } from "../errors.js";

const maxLength = 10_000;

export interface RegexOptions {
  /** @default false */
  readonly ignoreCase?: boolean;
  /** Treats the pattern as plain text. @default false */
  readonly literal?: boolean;
}

/**
 * Returns an expression that matches any pattern in linear time. Pure.
 * Throws a FileError "invalid-pattern" for what RE2 does not support, such as lookarounds and backreferences.
 */
export function compileRegex(
  pattern: string,
  { ignoreCase = false, literal = false }: RegexOptions = {},
): RE2JS {
  if (pattern.length > maxLength) {
    throw new FileError(
      "invalid-pattern",
      `The pattern ${showValue(pattern)} is over ${maxLength} characters long. Shorten it.`,
    );
  }
  try {
    return RE2JS.compile(literal ? RE2JS.quote(pattern) : pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FileError(
      "invalid-pattern",
      `${showValue(pattern)} is not a valid pattern (${reason}). ` +
        "Correct it (RE2 syntax: no lookarounds, no backreferences), or search for plain text.",
      { cause },
    );
  }
}

/** Returns a regular expression source that matches the text literally. Pure. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, (character) => `\\${character}`);
}
