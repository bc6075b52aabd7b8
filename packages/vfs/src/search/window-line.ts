import type { LineSpan } from "./line-matcher.js";

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
