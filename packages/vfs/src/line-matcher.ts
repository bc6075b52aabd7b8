import type { GrepOptions } from "./backend.js";
import { compileRegex } from "./compile-regex.js";
import { FileError } from "./file-error.js";
import { showValue } from "./show-value.js";

/** A span of characters in a line; `end` is exclusive. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

export interface LineMatcher {
  /** False when no line of the text can match: the text need not be taken apart. */
  mayMatch(text: string): boolean;
  /** The first match in a line at or after a character. */
  find(line: string, from: number): LineSpan | undefined;
}

/** Returns the matcher for a grep pattern. Pure. Throws a FileError "invalid-pattern". */
export function lineMatcher(
  pattern: string,
  { regex = false, ignoreCase = false }: GrepOptions,
): LineMatcher {
  if (typeof pattern !== "string" || pattern === "") {
    throw new FileError(
      "invalid-pattern",
      `${showValue(pattern)} is not a pattern. Give the text to look for.`,
    );
  }
  if (!regex && pattern.includes("\n")) {
    throw new FileError(
      "invalid-pattern",
      `The pattern ${showValue(pattern)} has a line break, and lines are searched one by one. Look for one line of it.`,
    );
  }
  return regex || ignoreCase ? regexMatcher(pattern, { regex, ignoreCase }) : textMatcher(pattern);
}

function textMatcher(pattern: string): LineMatcher {
  return {
    mayMatch: (text) => text.includes(pattern),
    find(line, from) {
      const start = line.indexOf(pattern, from);
      return start < 0 ? undefined : { start, end: start + pattern.length };
    },
  };
}

function regexMatcher(pattern: string, { regex = false, ignoreCase = false }: GrepOptions): LineMatcher {
  const expression = compileRegex(pattern, { ignoreCase, literal: !regex });
  return {
    mayMatch: () => true,
    find(line, from) {
      if (from === 0 && !expression.test(line)) return undefined;
      const matcher = expression.matcher(line);
      return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined;
    },
  };
}
