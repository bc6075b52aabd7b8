import type { GrepOptions } from "../backend.js";
import { FileError, showValue } from "../errors.js";
import { compileRegex } from "./regex.js";

/** A span of characters in a line; `end` is exclusive. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

export interface LineMatcher {
  /** Characters that one call of `find` or `mayMatch` may look at. Such a call takes up to about 50 ms. */
  readonly window: number;
  /** Characters of the longest match. */
  readonly longest: number;
  /** Returns false when no line of the text can match, so that the text need not be split into lines. */
  mayMatch(text: string): boolean;
  /** Returns the first match in a line that begins at or after `from` and ends by `end`. */
  find(line: string, from: number, end: number): LineSpan | undefined;
}

const maxTextLength = 10_000;
/** Comparisons of one step of a plain search: the engine compares up to every character of the pattern at each place. */
const textStep = 100_000_000;
/** Visits of an instruction at a character in one step; 20 to 80 ns each. */
const regexStep = 500_000;

/** Returns the matcher for a grep pattern. Pure. Throws a FileError "invalid-pattern". */
export async function lineMatcher(
  pattern: string,
  { regex = false, ignoreCase = false }: GrepOptions,
): Promise<LineMatcher> {
  if (typeof pattern !== "string" || pattern === "") {
    throw invalid(`${showValue(pattern)} is not a pattern. Give the text to search for.`);
  }
  if (!regex && pattern.includes("\n")) {
    throw invalid(
      `The pattern ${showValue(pattern)} has a line break, and grep matches single lines. Search for one line of it.`,
    );
  }
  return regex || ignoreCase ? regexMatcher(pattern, { regex, ignoreCase }) : textMatcher(pattern);
}

function textMatcher(pattern: string): LineMatcher {
  if (pattern.length > maxTextLength) {
    throw invalid(
      `The pattern ${showValue(pattern)} is over ${maxTextLength} characters long. Search for a part of it.`,
    );
  }
  return {
    window: Math.max(2 * pattern.length, Math.floor(textStep / pattern.length)),
    longest: pattern.length,
    mayMatch: (text) => text.includes(pattern),
    find(line, from, end) {
      const start = line.slice(from, end).indexOf(pattern);
      return start < 0 ? undefined : { start: from + start, end: from + start + pattern.length };
    },
  };
}

/** Characters before `from` that the expression sees, for `^` and `\b`. */
const margin = 2;

async function regexMatcher(
  pattern: string,
  { regex = false, ignoreCase = false }: GrepOptions,
): Promise<LineMatcher> {
  const { expression, size, longest } = await compileRegex(pattern, { ignoreCase, literal: !regex });
  return {
    window: Math.floor(regexStep / size),
    longest,
    mayMatch: () => true,
    find(line, from, end) {
      const start = Math.max(0, from - margin);
      const text = line.slice(start, end);
      if (!expression.test(text)) return undefined;
      const matcher = expression.matcher(text);
      return matcher.find(from - start)
        ? { start: start + matcher.start(), end: start + matcher.end() }
        : undefined;
    },
  };
}

function invalid(message: string): FileError {
  return new FileError("invalid-pattern", message);
}
