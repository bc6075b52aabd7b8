import { FileError } from "./file-error.js";
import { showValue } from "./show-value.js";

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
