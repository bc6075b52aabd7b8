import type { GrepMatch } from "./backend.js";
import type { LineMatcher } from "./line-matcher.js";
import { windowLine } from "./window-line.js";

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
