import { FileError, showValue } from "./errors.js";

const maxPathBytes = 1024;
const maxNameBytes = 255;

declare const isNormal: unique symbol;

/**
 * A path that `normalizePath` has returned. Only the edges of this package make one: the verbs of a backend, the methods
 * of a driver and of the archive. Everything between them takes a NormalPath and does not check it again.
 */
export type NormalPath = string & { readonly [isNormal]: true };

/** Hot path: most paths are normal already, and a call checks its path several times. */
const plainPath = /^(?:\/[\w-][\w.-]{0,254})+$/;

/**
 * Returns the absolute POSIX path: one slash between names, no `.`, no `..`, no slash at the end. `notes.md` means
 * `/notes.md`. Pure.
 *
 * Throws a FileError "invalid-path" for a path that some engine cannot hold: `..` above the root, backslashes, NUL, lone
 * surrogates, more than 1,024 bytes, or a name of more than 255 bytes.
 */
export function normalizePath(path: string): NormalPath {
  if (typeof path !== "string" || path === "") {
    throw refuse(path, "is not a path", "Give a path such as /notes.md");
  }
  if (path.length <= maxPathBytes && plainPath.test(path)) return path as NormalPath;
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
  return normal as NormalPath;
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

/** Returns the normal path of a file. Pure. Throws as `normalizePath` does, and a FileError "is-directory" for `/`. */
export function normalizeFilePath(path: string): NormalPath {
  const normal = normalizePath(path);
  if (normal === "/") throw new FileError("is-directory", "/ is a directory. Name a file below it.");
  return normal;
}

/**
 * Returns the normal path of a directory that bounds what others may reach. Pure. Throws as `normalizePath` does, and a
 * FileError "invalid-path" for the names `.` and `..`: in `/users/${id}` an id from a client must not choose the directory.
 */
export function normalizeRoot(path: string): NormalPath {
  const normal = normalizePath(path);
  if (path.split("/").some((name) => name === "." || name === "..")) {
    throw refuse(path, "is a root with the name . or ..", "Name the directory itself, and encode ids in it");
  }
  return normal;
}

/** Returns the path of a directory with a slash at its end, so that the prefix `/a/` does not match `/ab`. Pure. */
export function directoryPrefix(path: NormalPath): string {
  return path === "/" ? path : `${path}/`;
}

/** Returns the order of two paths by their UTF-8 bytes, which is the order of SQL engines and object stores. Pure. */
export function comparePaths(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const difference = rank(a.charCodeAt(index)) - rank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** UTF-16 sorts surrogates below U+E000; UTF-8 sorts them above. */
function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}
