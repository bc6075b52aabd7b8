import { conflictPath } from "./conflict-path.js";
import { versionOf } from "./file-version.js";
import type { FileEntry, Files } from "./files.js";

/** A working copy of files that knows, for each path, the copies kept of other versions. The files handed in stay as they are. */
export class FileTable {
  readonly #entries: Map<string, FileEntry>;
  readonly #copies = new Map<string, Set<string>>();
  readonly #touched = new Set<string>();

  constructor(files: Files) {
    this.#entries = new Map(Object.entries(files));
    for (const [path, entry] of this.#entries) this.#index(path, entry);
  }

  get(path: string): FileEntry | undefined {
    return this.#entries.get(path);
  }

  set(path: string, entry: FileEntry): void {
    this.delete(path);
    this.#entries.set(path, entry);
    this.#index(path, entry);
    this.#touch(path, entry);
  }

  delete(path: string): void {
    const entry = this.#entries.get(path);
    if (!entry) return;
    this.#entries.delete(path);
    if (entry.conflictOf !== undefined) this.#copies.get(entry.conflictOf)?.delete(path);
    this.#touch(path, entry);
  }

  /** The untouched copies of other versions of a path: an edited copy is a file of its own. */
  copiesOf(path: string): [string, FileEntry][] {
    return [...(this.#copies.get(path) ?? [])].flatMap((copy): [string, FileEntry][] => {
      const entry = this.#entries.get(copy);
      return entry && conflictPath(path, versionOf(entry)) === copy ? [[copy, entry]] : [];
    });
  }

  /** Returns the files, each path that was touched saying where its copies are. */
  toFiles(): Files {
    for (const path of this.#touched) {
      const entry = this.#entries.get(path);
      if (entry) this.#entries.set(path, withConflicts(entry, [...(this.#copies.get(path) ?? [])].sort()));
    }
    return Object.fromEntries(this.#entries);
  }

  #index(path: string, { conflictOf }: FileEntry): void {
    if (conflictOf === undefined) return;
    const copies = this.#copies.get(conflictOf) ?? new Set();
    this.#copies.set(conflictOf, copies.add(path));
  }

  #touch(path: string, { conflictOf }: FileEntry): void {
    this.#touched.add(path);
    if (conflictOf !== undefined) this.#touched.add(conflictOf);
  }
}

function withConflicts(entry: FileEntry, conflicts: readonly string[]): FileEntry {
  const { conflicts: _conflicts, ...rest } = entry;
  return conflicts.length > 0 ? { ...rest, conflicts } : rest;
}
