import { normalizePath } from "../paths.js";

const start = ".palimpsest-";
const end = ".tmp";

/** Returns the name of a file that is still being written. Pure. */
export function temporaryName(id: string): string {
  return `${start}${id}${end}`;
}

/** Returns true for the name of a file that is being written, or that a killed process left behind. Pure. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(start) && name.endsWith(end);
}

/** Hot path: most names need no further check. */
const plain = /^\w[\w.-]{0,254}$/;

/** Returns true when a path can contain this name from disk and the name is not a temporary one. Pure. */
export function isPathName(name: string): boolean {
  if (plain.test(name)) return true;
  if (isTemporaryName(name)) return false;
  try {
    return normalizePath(`/${name}`) === `/${name}`;
  } catch {
    return false;
  }
}
