import { compileRegex } from "./compile-regex.js";
import { directoryPrefix } from "./directory-prefix.js";
import { FileError } from "./file-error.js";
import { globToRegex } from "./glob-to-regex.js";
import { showValue } from "./show-value.js";

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
