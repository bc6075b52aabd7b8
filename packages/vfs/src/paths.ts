import { FileError, showValue } from "./errors.js";

const maxPathBytes = 1024;
const maxNameBytes = 255;

/**
 * Returns the absolute POSIX path: one slash between names, no `.`, no `..`, none at the end. `notes.md` means `/notes.md`.
 * Pure. Throws a FileError "invalid-path" for what no engine can hold: `..` above the root, backslashes, NUL,
 * lone surrogates, over 1,024 bytes in all or 255 in one name.
 */
export function normalizePath(path: string): string {
  if (typeof path !== "string" || path === "") {
    throw refuse(path, "is not a path", "Give a path such as /notes.md");
  }
  if (path.includes("\0") || path.includes("\\")) {
    throw refuse(path, "holds a NUL or a backslash", "Separate names with /");
  }
  if (/\p{Surrogate}/u.test(path)) {
    throw refuse(path, "is not valid Unicode", "Remove the lone surrogate");
  }
  const normal = `/${resolveNames(path).join("/")}`;
  if (Buffer.byteLength(normal) > maxPathBytes) {
    throw refuse(path, `is over ${maxPathBytes} bytes long`, "Shorten it");
  }
  return normal;
}

function resolveNames(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") {
      if (Buffer.byteLength(name) > maxNameBytes) {
        throw refuse(path, `has a name over ${maxNameBytes} bytes long`, "Shorten it");
      }
      names.push(name);
    } else if (names.pop() === undefined) {
      throw refuse(path, "leaves the root", "Use a path below /");
    }
  }
  return names;
}

function refuse(path: unknown, what: string, wayOut: string): FileError {
  return new FileError("invalid-path", `${showValue(path)} ${what}. ${wayOut}.`);
}

/** Returns the normal path of a file. Pure. Throws a FileError "is-directory" for `/`, "invalid-path" as normalizePath does. */
export function normalizeFilePath(path: string): string {
  const normal = normalizePath(path);
  if (normal === "/") throw new FileError("is-directory", "/ is a directory. Name a file below it.");
  return normal;
}

/** Returns the path of a directory with one slash at its end, so that `/a/` never begins `/ab`. Pure. */
export function directoryPrefix(path: string): string {
  const normal = normalizePath(path);
  return normal === "/" ? normal : `${normal}/`;
}

/** Returns the order of two paths by their UTF-8 bytes, the order of SQL and object stores. Pure. */
export function comparePaths(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const difference = rank(a.charCodeAt(index)) - rank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** UTF-16 puts surrogates below U+E000; in UTF-8 they are above. */
function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}
