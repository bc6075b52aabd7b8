import type { GrepMatch, GrepOptions } from "../backend.js";
import { FileError, showValue } from "../errors.js";
import { compileRegex } from "./regex.js";

/** A span of characters in a line; `end` is exclusive. */
export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

export interface LineMatcher {
  /** Returns false when no line of the text can match, so that the text need not be split into lines. */
  mayMatch(text: string): boolean;
  /** Returns the first match in a line at or after a character index. */
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
      `${showValue(pattern)} is not a pattern. Give the text to search for.`,
    );
  }
  if (!regex && pattern.includes("\n")) {
    throw new FileError(
      "invalid-pattern",
      `The pattern ${showValue(pattern)} has a line break, and grep matches single lines. Search for one line of it.`,
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

export interface LinePlace {
  readonly path: string;
  readonly line: number;
  /** Returns the byte offset in the file of a character of the line. */
  readonly byteAt: (character: number) => number;
}

/**
 * Yields the matches of one line: the whole line when it is short, else one window for each matching part of it. Leaves out
 * a carriage return at the end; `$` matches before it. Pure.
 */
export function* matchLine(
  raw: string,
  { path, line, byteAt }: LinePlace,
  { matcher, maxLineLength }: { readonly matcher: LineMatcher; readonly maxLineLength: number },
): Iterable<GrepMatch> {
  const shown = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
  const searched = shown === raw || matcher.find(shown, 0) ? shown : raw;
  for (let from = 0; from <= searched.length;) {
    const found = matcher.find(searched, from);
    if (!found) return;
    if (shown.length <= maxLineLength) {
      yield { path, line, text: shown };
      return;
    }
    const { text, span } = windowLine(searched, found, maxLineLength);
    yield { path, line, text, range: { start: byteAt(span.start), end: byteAt(span.end) } };
    from = Math.max(span.end, found.end, from + 1);
  }
}

export interface LineWindow {
  /** The part of the line, with a note on each side of how much is left out. */
  readonly text: string;
  /** The characters of the line that the text shows. */
  readonly span: LineSpan;
}

/** Returns the part of a line around a span, of 1 to `maxLength` characters. Never splits a character. Pure. */
export function windowLine(line: string, around: LineSpan, maxLength: number): LineWindow {
  const spare = Math.max(0, maxLength - (around.end - around.start));
  const latest = Math.max(0, line.length - maxLength);
  const start = snap(line, Math.min(Math.max(0, around.start - Math.floor(spare / 2)), latest, around.start));
  const end = Math.max(snap(line, Math.min(start + maxLength, line.length)), start + widthAt(line, start));
  const before = start > 0 ? `[… ${start} characters before] ` : "";
  const after = end < line.length ? ` [${line.length - end} characters after …]` : "";
  return { text: before + line.slice(start, end) + after, span: { start, end } };
}

function widthAt(line: string, index: number): number {
  return String.fromCodePoint(line.codePointAt(index) ?? 0).length;
}

/** An index between the two halves of a surrogate pair moves before it. */
function snap(line: string, index: number): number {
  const inside = /[\uDC00-\uDFFF]/.test(line.charAt(index)) && /[\uD800-\uDBFF]/.test(line.charAt(index - 1));
  return inside ? index - 1 : index;
}
