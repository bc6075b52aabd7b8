import type { GrepMatch } from "../backend.js";
import type { LineMatcher, LineSpan } from "./line-matcher.js";
import { windowLine } from "./window-line.js";

export interface LinePlace {
  readonly path: string;
  readonly line: number;
  /** Returns the byte offset in the file of a character of the line. */
  readonly byteAt: (character: number) => number;
}

export interface MatchLineOptions {
  readonly matcher: LineMatcher;
  readonly maxLineLength: number;
}

/**
 * Yields the matches of one line: the whole line when it is short, else one window for each matching part of it. Leaves out
 * a carriage return at the end; `$` matches before it.
 *
 * Yields undefined after each step that found nothing, so that the caller can pause. Pure.
 */
export function matchLine(
  raw: string,
  place: LinePlace,
  options: MatchLineOptions,
): Iterable<GrepMatch | undefined> {
  const { matcher } = options;
  const isPlain = raw.length <= matcher.window && !raw.endsWith("\r");
  return isPlain && !matcher.find(raw, 0, raw.length) ? noMatch : matchParts(raw, place, options);
}

/** Hot path: most lines are short and do not match. */
const noMatch: readonly [] = [];

function* matchParts(
  raw: string,
  place: LinePlace,
  options: MatchLineOptions,
): Iterable<GrepMatch | undefined> {
  const shown = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
  let matched = false;
  for (const match of matchText(shown, place, options)) {
    matched ||= match !== undefined;
    yield match;
  }
  if (!matched && shown !== raw) yield* matchText(raw, place, options);
}

function* matchText(
  text: string,
  { path, line, byteAt }: LinePlace,
  { matcher, maxLineLength }: MatchLineOptions,
): Iterable<GrepMatch | undefined> {
  const shown = text.endsWith("\r") ? text.slice(0, -1) : text;
  const isShort = shown.length <= maxLineLength;
  for (let from = 0; from <= text.length;) {
    const found = yield* findSpan(text, from, { matcher, reach: isShort ? text.length : firstReach });
    if (!found) return;
    if (isShort) {
      yield { path, line, text: shown };
      return;
    }
    const window = windowLine(text, found, maxLineLength);
    const { start, end } = window.span;
    yield { path, line, text: window.text, range: { start: byteAt(start), end: byteAt(end) } };
    from = Math.max(end, found.end, from + 1);
  }
}

/** Characters of the first step after a match. Small, because many matches of one line are near each other. */
const firstReach = 512;
const growth = 8;

/** Returns true when a match can span more of the line than one step looks at, so that the search may miss it. Pure. */
export function mayMissPart(line: string, { window, longest }: LineMatcher): boolean {
  return line.length > window && longest > overlapOf({ window, longest });
}

/** Characters that two neighbouring steps share: a match that is no longer lies whole in one of them. */
function overlapOf({ window, longest }: Pick<LineMatcher, "window" | "longest">): number {
  return Math.min(longest, Math.ceil(window / 2));
}

/**
 * Returns the first match at or after an index, in steps that look at no more than the window of the matcher. The text after a
 * step can change a match that begins near its end: it can be longer, another alternative can come first, and `$` and `\b` can
 * be wrong there. Such a match is searched again with more text after it. A match that may be longer than the overlap of two
 * steps is only guaranteed not to end where its step ends.
 */
function* findSpan(
  line: string,
  start: number,
  { matcher, reach: first }: { readonly matcher: LineMatcher; readonly reach: number },
): Generator<undefined, LineSpan | undefined> {
  const overlap = overlapOf(matcher);
  const advance = Math.max(1, matcher.window - overlap);
  const mayChange = (found: LineSpan, end: number): boolean =>
    (matcher.longest > overlap ? found.end : found.start + overlap) >= end;
  let reach = Math.min(first, matcher.window);
  for (let from = start; from <= line.length;) {
    const end = Math.min(from + reach, line.length);
    const found = matcher.find(line, from, end);
    if (end === line.length || (found !== undefined && !mayChange(found, end))) return found;
    yield undefined;
    if (reach < matcher.window) reach = Math.min(reach * growth, matcher.window);
    else if (found !== undefined && found.start < from + advance) return found;
    else from += advance;
  }
  return undefined;
}
