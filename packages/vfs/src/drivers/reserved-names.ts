import { normalizePath } from "../paths.js";

const start = ".palimpsest-";
const end = ".tmp";

/** Returns the name of a file that is still being written. Pure. */
export function temporaryName(id: string): string {
  return `${start}${id}${end}`;
}

/** The directory of the journals of a root. */
export const journalName = ".palimpsest-journal";

/** Returns true for a name of the driver itself: a journal, a file being written, or one that a killed process left. Pure. */
export function isReservedName(name: string): boolean {
  return name === journalName || (name.startsWith(start) && name.endsWith(end));
}

/** Hot path: most names need no further check. */
const plain = /^\w[\w.-]{0,254}$/;

/** Returns true when a path can contain this name from disk and the driver has not reserved the name. Pure. */
export function isPathName(name: string): boolean {
  if (plain.test(name)) return true;
  if (isReservedName(name)) return false;
  try {
    return normalizePath(`/${name}`) === `/${name}`;
  } catch {
    return false;
  }
}
