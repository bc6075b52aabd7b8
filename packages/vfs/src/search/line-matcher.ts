import type { GrepMatch, GrepOptions } from "../backend.js";
import { FileError, showValue } from "../errors.js";
import { compileRegex } from "./regex.js";

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

export interface LinePlace {
  readonly path: string;
  readonly line: number;
  /** The byte of the file at which a character of the line begins. */
  readonly byteAt: (character: number) => number;
}

/**
 * The matches of one line: the line itself when it is short, else one window for each part of it that matches.
 * Pure. A carriage return at the end is not shown, and `$` matches before it.
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
  /** The part of the line, with what is left out on either side. */
  readonly text: string;
  /** The characters of the line that are shown. */
  readonly span: LineSpan;
}

/** Returns the part of a line around a span, at most `maxLength` characters of it, at least one. Pure; no character is cut in two. */
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
