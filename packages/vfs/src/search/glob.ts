import type { FileInfo } from "../backend.js";
import type { FileDriver } from "../drivers/file-driver.js";
import { FileError, showValue } from "../errors.js";
import { directoryPrefix, normalizePath } from "../paths.js";
import { fileInfo, listFiles } from "../reading/find-files.js";
import { compileRegex, escapeRegex } from "./regex.js";

const token = /\\(?<escaped>.)|(?<globstar>\*\*\/)|(?<stars>\*+)|\[(?<negate>[!^]?)(?<set>\]?[^\]]*)\]|./gsu;

/**
 * Returns the source of an RE2 expression for a glob: `*`, `?`, `**`, `[a-z]`, `[!a-z]`, `{a,b}` and `\` before any of them. Pure.
 * Names that begin with a dot are matched like others. The expression runs in linear time, unlike those of usual glob libraries.
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
  /** One for each open brace: true when it holds alternatives. */
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

/** Looks for the end of the brace at an index, and whether commas of its own part it. */
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
 * Returns whether a path matches a glob: relative to the directory `base`, or as a whole when the glob begins with `/`.
 * `!` in front turns the answer around. Pure. Throws a FileError "invalid-pattern".
 */
export function globFilter(pattern: string, base: string): (path: string) => boolean {
  const { source, negated, absolute } = takeApart(pattern);
  const expression = compileRegex(`(?s)${globToRegex(source)}`);
  const prefix = directoryPrefix(base);
  return (path) => expression.test(absolute ? path : relativeTo(prefix, path)) !== negated;
}

/** Returns whether a path matches the glob of a grep: by name, or as globFilter when the glob holds a `/`. Pure. */
export function globNameFilter(pattern: string, base: string): (path: string) => boolean {
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

/** A file that was itself given as the base is matched by its name. */
function relativeTo(prefix: string, path: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the files below a path that match a glob, sorted by path. Throws a FileError for a bad glob or path. */
export async function globFiles(driver: FileDriver, pattern: string, path: string): Promise<FileInfo[]> {
  const base = normalizePath(path);
  const matches = globFilter(pattern, base);
  const infos: FileInfo[] = [];
  for await (const entry of listFiles(driver, base)) {
    if (matches(entry.path)) infos.push(fileInfo(entry));
  }
  return infos;
}
