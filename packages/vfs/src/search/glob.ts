import type { FileInfo } from "../backend.js";
import type { FileDriver } from "../drivers/file-driver.js";
import { FileError, showValue } from "../errors.js";
import { directoryPrefix } from "../paths.js";
import type { NormalPath } from "../paths.js";
import { fileInfo, listFiles } from "../reading/find-files.js";
import { compileRegex, escapeRegex } from "./regex.js";

const token = /\\(?<escaped>.)|(?<globstar>\*\*\/)|(?<stars>\*+)|\[(?<negate>[!^]?)(?<set>\]?[^\]]*)\]|./gsu;

/**
 * Returns the source of an RE2 expression for a glob with `*`, `?`, `**`, `[a-z]`, `[!a-z]`, `{a,b}` and `\` as escape. Pure.
 * Names that begin with a dot match like others. A translation of our own, because a model writes the globs: the expressions
 * of `picomatch` and `minimatch` backtrack and can hang the run; RE2 runs this one in linear time.
 */
export function globToRegex(glob: string): string {
  const braces: boolean[] = [];
  let regex = "";
  for (const match of glob.matchAll(token)) {
    const [text] = match;
    const { escaped, globstar, stars, negate, set } = match.groups ?? {};
    if (escaped !== undefined) regex += escapeRegex(escaped);
    else if (globstar) regex += startsName(glob, match.index) ? "(?:[^/]+/)*" : "[^/]*/";
    else if (stars) regex += crossesNames(glob, match.index, stars) ? ".*" : "[^/]*";
    else if (set !== undefined) regex += toSet(negate !== "", set);
    else regex += text === "?" ? "[^/]" : brace(text, { braces, closes: closes(glob, match.index) });
  }
  return `^(?:${regex})$`;
}

interface BraceState {
  /** One entry for each open brace: true when it contains alternatives. */
  readonly braces: boolean[];
  readonly closes: { readonly alternatives: boolean } | undefined;
}

function brace(text: string, { braces, closes: found }: BraceState): string {
  if (text === "{" && found) {
    braces.push(found.alternatives);
    return found.alternatives ? "(?:" : "\\{";
  }
  if (text === "}" && braces.length > 0) return braces.pop() === true ? ")" : "\\}";
  if (text === "," && braces.at(-1) === true) return "|";
  return escapeRegex(text);
}

/** Finds the closing brace of the brace at an index, and whether a comma of its own level separates alternatives. */
function closes(glob: string, index: number): { alternatives: boolean } | undefined {
  if (glob[index] !== "{") return undefined;
  let depth = 0;
  let alternatives = false;
  for (let at = index; at < glob.length; at++) {
    if (glob[at] === "\\") at++;
    else if (glob[at] === "{") depth++;
    else if (glob[at] === "," && depth === 1) alternatives = true;
    else if (glob[at] === "}" && --depth === 0) return { alternatives };
  }
  return undefined;
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
export function globFilter(pattern: string, base: NormalPath): (path: string) => boolean {
  const { source, negated, absolute } = takeApart(pattern);
  const expression = compileRegex(`(?s)${globToRegex(source)}`);
  const prefix = directoryPrefix(base);
  return (path) => expression.test(absolute ? path : relativeTo(prefix, path)) !== negated;
}

/** Returns a test of paths against the glob of a grep: by name, or as `globFilter` does when the glob contains a `/`. Pure. */
export function globNameFilter(pattern: string, base: NormalPath): (path: string) => boolean {
  const { source, negated } = takeApart(pattern);
  if (source.includes("/")) return globFilter(pattern, base);
  const expression = compileRegex(`(?s)${globToRegex(source)}`);
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
  const negated = pattern.startsWith("!");
  const source = negated ? pattern.slice(1) : pattern;
  return { source: source.replace(/^\.\//, ""), negated, absolute: source.startsWith("/") };
}

/** When the base is a file, its name has to match. */
function relativeTo(prefix: string, path: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the files below a path that match a glob, sorted by path. Throws a FileError "invalid-pattern" or "not-found". */
export async function globFiles(driver: FileDriver, pattern: string, base: NormalPath): Promise<FileInfo[]> {
  const matches = globFilter(pattern, base);
  const infos: FileInfo[] = [];
  for await (const entry of listFiles(driver, base)) {
    if (matches(entry.path)) infos.push(fileInfo(entry));
  }
  return infos;
}
