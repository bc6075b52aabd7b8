import type { RE2JS } from "re2js";
import { FileError, showValue } from "../errors.js";
import { measureExpression } from "./measure-expression.js";

/** Characters of an expression. */
const maxLength = 2_000;
/** Instructions of a compiled expression. One character of text costs up to one visit of each. */
const maxProgram = 1_000;
/** The measure of a source is up to this many times the size of its program. */
const measureMargin = 5;

export interface RegexOptions {
  /** @default false */
  readonly ignoreCase?: boolean;
  /** Treats the pattern as plain text. @default false */
  readonly literal?: boolean;
}

/** An expression that matches in time linear in the text, with upper bounds of its cost. */
export interface Regex {
  readonly expression: RE2JS;
  /** Instructions of the compiled program. */
  readonly size: number;
  /** Characters of the longest match; infinite where the expression sets no limit. */
  readonly longest: number;
}

/**
 * Returns the compiled expression. Compiling takes a fraction of a second at most, because the size of the program is limited
 * first. Throws a FileError "invalid-pattern" for an expression over 2,000 characters or 1,000 instructions, and for syntax
 * that RE2 does not support, such as lookarounds and backreferences.
 */
export async function compileRegex(
  pattern: string,
  { ignoreCase = false, literal = false }: RegexOptions = {},
): Promise<Regex> {
  if (pattern.length > maxLength) {
    throw refuse(pattern, `is over ${maxLength} characters long. Search for a shorter piece of text`);
  }
  const { RE2JS: engine } = await import("re2js");
  return compileSource(literal ? engine.quote(pattern) : pattern, { pattern, ignoreCase });
}

/** Compiles the expression that stands for a pattern of another syntax, such as a glob. Throws as `compileRegex` does. */
export async function compileSource(
  source: string,
  { pattern, ignoreCase = false }: { readonly pattern: string; readonly ignoreCase?: boolean },
): Promise<Regex> {
  const { size, longest } = measureExpression(source);
  if (size > measureMargin * maxProgram) throw tooLarge(pattern, size);
  const { RE2JS: engine } = await import("re2js");
  try {
    const expression = engine.compile(source, ignoreCase ? engine.CASE_INSENSITIVE : 0);
    const program = expression.programSize();
    if (program <= maxProgram) return { expression, size: program, longest };
    throw tooLarge(pattern, program);
  } catch (cause) {
    if (FileError.isInstance(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FileError(
      "invalid-pattern",
      `${showValue(pattern)} is not a valid pattern (${reason}). ` +
        "Correct it (RE2 syntax: no lookarounds, no backreferences), or search for plain text.",
      { cause },
    );
  }
}

function tooLarge(pattern: string, size: number): FileError {
  const about = Number.isFinite(size) ? `about ${size}` : "countless";
  return refuse(
    pattern,
    `compiles to ${about} instructions, and the limit is ${maxProgram}. ` +
      "Use fewer alternatives and smaller counts, or search for one of them at a time",
  );
}

function refuse(pattern: string, why: string): FileError {
  return new FileError("invalid-pattern", `The pattern ${showValue(pattern)} ${why}.`);
}

/** Returns a regular expression source that matches the text literally. Pure. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, (character) => `\\${character}`);
}
