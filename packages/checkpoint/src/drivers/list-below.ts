import { normalizePath } from "@palimpsest/vfs";
import type { DriverEntry } from "@palimpsest/vfs";

/** The most entries that are read at once. */
export const listPage = 256;

/** Reads, in the order of their paths, up to `listPage` entries between two paths. */
export type ReadEntries = (after: string, before: string) => Promise<readonly DriverEntry[]>;

/** Yields the entries below a directory, in the order of their paths. */
export async function* listBelow(prefix: string, read: ReadEntries): AsyncGenerator<DriverEntry> {
  const normal = normalizePath(prefix);
  const below = normal === "/" ? "/" : `${normal}/`;
  // "0" is the character behind "/": what sorts between the two is below.
  const end = `${below.slice(0, -1)}0`;
  for (let last: string | undefined = below; last !== undefined;) {
    const entries = await read(last, end);
    yield* entries;
    last = entries.length < listPage ? undefined : entries.at(-1)?.path;
  }
}
