const start = ".palimpsest-";
const end = ".tmp";

/** Returns the name of a file that is still being written. Pure. */
export function temporaryName(id: string): string {
  return `${start}${id}${end}`;
}

/** Returns true for the names of files that are still being written, or were when the process died. Pure. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(start) && name.endsWith(end);
}
