import type { FileInfo, GlobResult } from "../backend.js";
import type { FileDriver } from "../drivers/file-driver.js";
import { FileError, isUnreadable, showValue } from "../errors.js";
import { directoryPrefix } from "../paths.js";
import type { NormalPath } from "../paths.js";
import { fileInfo, listFiles } from "../reading/find-files.js";
import { Pace, SearchEnd } from "./pace.js";
import type { PartOptions } from "./pace.js";
import { compileSource, escapeRegex } from "./regex.js";

/** Characters of a glob. */
const maxLength = 1_000;

const token = /\\(?<escaped>.)|(?<globstar>\*\*\/)|(?<stars>\*+)|\[(?<negate>[!^]?)(?<set>\]?[^\]]*)\]|./gsu;

/**
 * Returns the source of an RE2 expression for a glob with `*`, `?`, `**`, `[a-z]`, `[!a-z]`, `{a,b}` and `\` as escape. Pure,
 * linear. Names that begin with a dot match like others. A translation of our own, because a model writes the globs: the
 * expressions of `picomatch` and `minimatch` backtrack and can hang the run; RE2 runs this one in linear time.
 */
function globToRegex(glob: string): string {
  const braces: BraceState = { open: [], closed: closedBraces(glob) };
  let regex = "";
  for (const match of glob.matchAll(token)) {
    const [text] = match;
    const { escaped, globstar, stars, negate, set } = match.groups ?? {};
    if (escaped !== undefined) regex += escapeRegex(escaped);
    else if (globstar) regex += startsName(glob, match.index) ? "(?:[^/]+/)*" : "[^/]*/";
    else if (stars) regex += crossesNames(glob, match.index, stars) ? ".*" : "[^/]*";
    else if (set !== undefined) regex += toSet(negate !== "", set);
    else regex += text === "?" ? "[^/]" : brace(text, match.index, braces);
  }
  return `^(?:${regex})$`;
}

interface BraceState {
  /** One entry for each open brace: true when it contains alternatives. */
  readonly open: boolean[];
  /** By the index of every brace that is closed: true when it contains alternatives. */
  readonly closed: ReadonlyMap<number, boolean>;
}

function brace(text: string, index: number, { open, closed }: BraceState): string {
  const alternatives = text === "{" ? closed.get(index) : undefined;
  if (alternatives !== undefined) {
    open.push(alternatives);
    return alternatives ? "(?:" : "\\{";
  }
  if (text === "}" && open.length > 0) return open.pop() === true ? ")" : "\\}";
  if (text === "," && open.at(-1) === true) return "|";
  return escapeRegex(text);
}

/** Finds every brace that is closed, and whether a comma of its own level separates alternatives. */
function closedBraces(glob: string): ReadonlyMap<number, boolean> {
  const closed = new Map<number, boolean>();
  const open: { readonly at: number; alternatives: boolean }[] = [];
  for (let at = 0; at < glob.length; at++) {
    const innermost = open.at(-1);
    if (glob[at] === "\\") at++;
    else if (glob[at] === "{") open.push({ at, alternatives: false });
    else if (innermost && glob[at] === ",") innermost.alternatives = true;
    else if (innermost && glob[at] === "}") {
      closed.set(innermost.at, innermost.alternatives);
      open.pop();
    }
  }
  return closed;
}

function startsName(glob: string, index: number): boolean {
  return index === 0 || "/{,".includes(glob[index - 1] ?? "");
}

function crossesNames(glob: string, index: number, stars: string): boolean {
  const next = glob[index + stars.length];
  return stars.length > 1 && startsName(glob, index) && (next === undefined || ",}".includes(next));
}

function toSet(negated: boolean, set: string): string {
  const members = set.replace(/[\\[\]^&~]/g, (character) => `\\${character}`);
  return negated ? `[^/${members}]` : `[${members}]`;
}

/**
 * Returns a test of paths against a glob: relative to the directory `base`, or the whole path when the glob begins with
 * `/`. A leading `!` negates the glob. Pure. Throws a FileError "invalid-pattern".
 */
export async function globFilter(pattern: string, base: NormalPath): Promise<(path: string) => boolean> {
  const { source, negated, absolute } = takeApart(pattern);
  const { expression } = await compileSource(`(?s)${globToRegex(source)}`, { pattern });
  const prefix = directoryPrefix(base);
  return (path) => expression.test(absolute ? path : relativeTo(prefix, path)) !== negated;
}

/** Returns a test of paths against the glob of a grep: by name, or as `globFilter` does when the glob contains a `/`. Pure. */
export async function globNameFilter(pattern: string, base: NormalPath): Promise<(path: string) => boolean> {
  const { source, negated } = takeApart(pattern);
  if (source.includes("/")) return globFilter(pattern, base);
  const { expression } = await compileSource(`(?s)${globToRegex(source)}`, { pattern });
  return (path) => expression.test(path.slice(path.lastIndexOf("/") + 1)) !== negated;
}

interface GlobParts {
  readonly source: string;
  readonly negated: boolean;
  readonly absolute: boolean;
}

function takeApart(pattern: string): GlobParts {
  if (typeof pattern !== "string" || pattern === "") {
    throw new FileError("invalid-pattern", `${showValue(pattern)} is not a glob. Give one such as **/*.md`);
  }
  if (pattern.length > maxLength) {
    throw new FileError(
      "invalid-pattern",
      `The glob ${showValue(pattern)} is over ${maxLength} characters long. Shorten it, or search in several steps.`,
    );
  }
  const negated = pattern.startsWith("!");
  const source = negated ? pattern.slice(1) : pattern;
  return { source: source.replace(/^\.\//, ""), negated, absolute: source.startsWith("/") };
}

/** When the base is a file, its name has to match. */
function relativeTo(prefix: string, path: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : path.slice(path.lastIndexOf("/") + 1);
}

export interface GlobFilesOptions extends PartOptions {
  readonly path: NormalPath;
}

/**
 * Returns the files below a path that match a glob, sorted by path; those found so far when the time is used up. Throws
 * a FileError "invalid-pattern" or "not-found", and the reason of an aborted signal.
 */
export async function globFiles(
  driver: FileDriver,
  pattern: string,
  options: GlobFilesOptions,
): Promise<GlobResult> {
  const { path: base, pace = new Pace(options), pathOf = (own: string) => own } = options;
  const matches = await globFilter(pattern, base);
  const files: FileInfo[] = [];
  try {
    for await (const entry of pace.over(listFiles(driver, base))) {
      if (matches(entry.path)) files.push(fileInfo(entry));
    }
  } catch (error) {
    if (isUnreadable(error) && error.path !== base) return { files, note: error.message };
    if (!(error instanceof SearchEnd)) throw error;
    return { files, truncated: true, note: pace.endNote(pathOf(files.at(-1)?.path ?? base)) };
  }
  return { files };
}
