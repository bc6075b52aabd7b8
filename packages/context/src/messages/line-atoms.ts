import type { MessageLine } from "./message-lines.js";

/** Characters of a line that are looked at; machine output can have lines of any length. */
const mostScanned = 2_000;
/** Characters that a line has at least to be an atom itself. */
const leastLine = 20;
/** Characters of a line that tell it from others. */
const mostLine = 160;
/** Marks a line atom, so that a line and an identifier of the same spelling are two atoms. */
const linePrefix = "\n";

const url = /https?:\/\/[^\s"'`<>()[\]{}\\|]+/g;
/** What a path is made of; a pattern for paths alone would look at each of its characters from each before it. */
const pathLike = /[\w.@~+\-/]+/g;
const path = /(?:[\w.@~+-]*\/)+[\w.@~+-]*[\w~]/g;
const numbers = [
  /\b\d[\d,.:-]{2,}\d\b/g,
  /\b[A-Z]{2,}\d{2,}\b/g,
  /\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b/g,
] as const;

const identifier = /[A-Za-z_$][\w$]{5,}/g;
/** A hump of camelCase, an underscore, a dollar or a digit: what plain words do not have. */
const codeLike = /[a-z][A-Z]|[_$\d]/;
const lineNumber = /^\s*\d+(?:→|\t|: |\| ?)/;

/** Returns the URLs, paths, numbers and code-like identifiers of a line, each once. Pure. */
export function lineAtoms(line: string): readonly string[] {
  const text = line.length > mostScanned ? line.slice(0, mostScanned) : line;
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

/** Returns the atom that a whole line is, or undefined for a short one; without the line number of a file viewer. */
export function wholeLineAtom(line: string): string | undefined {
  const text = line.replace(lineNumber, "").trim();
  return text.length < leastLine ? undefined : linePrefix + text.slice(0, mostLine);
}

/** True for the atom of a whole line. */
export function isLineAtom(atom: string): boolean {
  return atom.startsWith(linePrefix);
}

/** Returns the strings of a line that a later call may use: its atoms, and the whole line of a result or an edit. Pure. */
export function reusableAtoms({ text, role }: MessageLine): readonly string[] {
  const atoms = lineAtoms(text);
  if (role !== "result" && role !== "old" && role !== "new") return atoms;
  const whole = wholeLineAtom(text);
  return whole === undefined ? atoms : [...atoms, whole];
}
