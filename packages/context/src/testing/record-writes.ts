import type { ArchiveWrite } from "../folds/rewrite.js";
import type { ReadArchive } from "../folds/unfold.js";

/**
 * Adds writes to an archive that is a map of path -> content.
 *
 * @throws Error when a path already has another content: the archive is write-once.
 */
export function recordWrites(archive: Map<string, string>, writes: readonly ArchiveWrite[]): void {
  for (const { path, content } of writes) {
    const before = archive.get(path);
    if (before !== undefined && before !== content) throw new Error(`${path} was written with two contents`);
    archive.set(path, content);
  }
}

/** Returns a reader over such a map. It rejects for a path that was never written. */
export function readerOf(archive: ReadonlyMap<string, string>): ReadArchive {
  return async function readArchive(path) {
    const content = archive.get(path);
    if (content === undefined) throw new Error(`${path} is not in the archive`);
    return content;
  };
}
