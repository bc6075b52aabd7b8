import type { MessageLine } from "./message-lines.js";

/** Maximum characters of a line that are scanned: machine output has lines of any length. */
const maxScanned = 2_000;
/** Minimum characters of a line that is an atom as a whole. */
const minLineLength = 20;
/** Maximum characters of a whole-line atom. */
const maxLineLength = 160;
/** Prefix of a whole-line atom. Distinguishes a line from an identifier with the same text. */
const linePrefix = "\n";

const url = /https?:\/\/[^\s"'`<>()[\]{}\\|]+/g;
/** Runs of path characters. Matching `path` within each run only avoids quadratic backtracking over the line. */
const pathLike = /[\w.@~+\-/]+/g;
const path = /(?:[\w.@~+-]*\/)+[\w.@~+-]*[\w~]/g;
const numbers = [
  /\b\d[\d,.:-]{2,}\d\b/g,
  /\b[A-Z]{2,}\d{2,}\b/g,
  /\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b/g,
] as const;

const identifier = /[A-Za-z_$][\w$]{5,}/g;
/** A camelCase boundary, an underscore, a dollar sign or a digit: plain words have none of them. */
const codeLike = /[a-z][A-Z]|[_$\d]/;
export const lineNumber = /^\s*\d+(?:→|\t|: |\| ?)/;

/** Returns the distinct URLs, paths, numbers and code-like identifiers of a line. Pure. */
export function lineAtoms(line: string): readonly string[] {
  const text = line.length > maxScanned ? line.slice(0, maxScanned) : line;
  const atoms = new Set<string>();
  const add = (pattern: RegExp, within: string) => {
    for (const match of within.match(pattern) ?? []) atoms.add(match);
  };
  if (text.includes("://")) add(url, text);
  if (text.includes("/")) {
    for (const run of text.match(pathLike) ?? []) if (run.includes("/")) add(path, run);
  }
  if (/\d/.test(text)) for (const pattern of numbers) add(pattern, text);
  for (const match of text.match(identifier) ?? []) if (codeLike.test(match)) atoms.add(match);
  atoms.delete("/");
  return [...atoms];
}

/** Returns the atom for a whole line without a file viewer's line number, or undefined for a short line. */
export function wholeLineAtom(line: string): string | undefined {
  const text = line.replace(lineNumber, "").trim();
  return text.length < minLineLength ? undefined : linePrefix + text.slice(0, maxLineLength);
}

/** True for an atom that represents a whole line. */
export function isLineAtom(atom: string): boolean {
  return atom.startsWith(linePrefix);
}

/** Returns the strings of a line that a later call can reuse: its atoms and, for results and edits, the whole line. Pure. */
export function reusableAtoms({ text, role }: MessageLine): readonly string[] {
  const atoms = lineAtoms(text);
  if (role !== "result" && role !== "old" && role !== "new") return atoms;
  const whole = wholeLineAtom(text);
  return whole === undefined ? atoms : [...atoms, whole];
}
