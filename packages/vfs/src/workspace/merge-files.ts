import { conflictPath, lineageOf, versionOf } from "./files.js";
import type { FileDeletion, FileEntry, Files, FilesUpdate } from "./files.js";

/**
 * Returns the files after an update: the reducer of the `files` channel. Pure and idempotent. Parallel updates give the
 * same files in any order and in any batches.
 *
 * A write replaces the versions that it is based on. When two writes are based on the same version, both stay: the later
 * one (by time, then by version) at the path, the other one at its conflict path, and each entry names the other path.
 * `null` always deletes; a FileDeletion applies only while the file is a version that its writer had seen.
 */
export function mergeFiles(current: Files | undefined, update: FilesUpdate | undefined): Files {
  const table = new FileTable(current ?? {});
  const changes = Object.entries(update ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, change] of changes) {
    if (isRemoval(change)) remove(table, path, change);
  }
  for (const [path, change] of changes) {
    if (change && !isRemoval(change)) join(table, path, change);
  }
  return table.toFiles();
}

function isRemoval(change: FileEntry | FileDeletion | null | undefined): change is FileDeletion | null {
  return change === null || (change !== undefined && "deleted" in change);
}

function remove(table: FileTable, path: string, change: FileDeletion | null): void {
  const current = table.get(path);
  if (current && (change === null || change.ancestors.includes(versionOf(current)))) table.delete(path);
}

/** Keeps every version that no other version replaces; the newest one is at the path. */
function join(table: FileTable, path: string, entry: FileEntry): void {
  const current = table.get(path);
  if (current && versionOf(current) === versionOf(entry) && current.modifiedAt === entry.modifiedAt) return;
  const home = homeOf(path, entry);
  const main = table.get(home);
  const copies = table.copiesOf(home);
  const known = [...(main ? [main] : []), ...copies.map(([, copy]) => copy)];
  if (known.some((version) => version.ancestors?.includes(versionOf(entry)))) return;

  const heads = addHead(known, entry);
  for (const [copy] of copies) table.delete(copy);
  const hasMain = main !== undefined || home === path;
  if (hasMain) table.set(home, bare(heads[0] ?? entry));
  for (const head of hasMain ? heads.slice(1) : heads) keepCopy(table, home, head);
}

/** An unedited conflict copy in an update, as when a host writes whole states back, counts as a version of its original path. */
function homeOf(path: string, entry: FileEntry): string {
  const { conflictOf } = entry;
  return conflictOf !== undefined && conflictPath(conflictOf, versionOf(entry)) === path ? conflictOf : path;
}

/** Returns the versions that remain after adding one, the one for the path first. */
function addHead(known: readonly FileEntry[], entry: FileEntry): FileEntry[] {
  const same = known.find((version) => versionOf(version) === versionOf(entry));
  const replaced = lineageOf(entry);
  const others = known.filter((version) => !replaced.includes(versionOf(version)));
  return [...others, same ? earlier(same, entry) : entry].sort(byTimeThenVersion);
}

/** A write that ran twice has the time of its first run. */
function earlier(a: FileEntry, b: FileEntry): FileEntry {
  return b.modifiedAt < a.modifiedAt ? b : a;
}

function byTimeThenVersion(a: FileEntry, b: FileEntry): number {
  if (a.modifiedAt !== b.modifiedAt) return a.modifiedAt > b.modifiedAt ? -1 : 1;
  return versionOf(a) > versionOf(b) ? -1 : 1;
}

/** Never overwrites a user's file at the conflict path: that file and the copy become two versions in turn. */
function keepCopy(table: FileTable, home: string, head: FileEntry): void {
  const path = conflictPath(home, versionOf(head));
  const current = table.get(path);
  if (!current) table.set(path, { ...bare(head), conflictOf: home });
  else join(table, path, bare(head));
}

function bare(entry: FileEntry): FileEntry {
  const { conflictOf: _conflictOf, conflicts: _conflicts, ...rest } = entry;
  return rest;
}

/** The paths that have conflict copies, and the copies, by files that were merged before. */
const knownCopies = new WeakMap<Files, ReadonlyMap<string, ReadonlySet<string>>>();

/** Changes over files, indexed by the paths that have conflict copies. The input stays unchanged. */
class FileTable {
  readonly #files: Files;
  readonly #changes = new Map<string, FileEntry | undefined>();
  readonly #copies: Map<string, ReadonlySet<string>>;

  constructor(files: Files) {
    this.#files = files;
    this.#copies = new Map(knownCopies.get(files) ?? copiesIn(files));
  }

  get(path: string): FileEntry | undefined {
    if (this.#changes.has(path)) return this.#changes.get(path);
    return Object.hasOwn(this.#files, path) ? this.#files[path] : undefined;
  }

  set(path: string, entry: FileEntry): void {
    this.delete(path);
    this.#changes.set(path, entry);
    this.#index(path, entry, true);
    this.#touch(entry);
  }

  delete(path: string): void {
    const entry = this.get(path);
    if (!entry) return;
    this.#changes.set(path, undefined);
    this.#index(path, entry, false);
    this.#touch(entry);
  }

  /** Returns the unedited conflict copies of a path. An edited copy is a file in its own right. */
  copiesOf(path: string): [string, FileEntry][] {
    return [...(this.#copies.get(path) ?? [])].flatMap((copy): [string, FileEntry][] => {
      const entry = this.get(copy);
      return entry && conflictPath(path, versionOf(entry)) === copy ? [[copy, entry]] : [];
    });
  }

  /** Returns the files, with `conflicts` set on every changed path. Changed files keep their place among the others. */
  toFiles(): Files {
    if (this.#changes.size === 0) return this.#files;
    const files: Record<string, FileEntry> = { ...this.#files };
    for (const path of this.#changes.keys()) {
      const entry = this.get(path);
      if (entry) set(files, path, withConflicts(entry, [...(this.#copies.get(path) ?? [])].sort()));
      else delete files[path];
    }
    knownCopies.set(files, this.#copies);
    return files;
  }

  #index(path: string, { conflictOf }: FileEntry, isCopy: boolean): void {
    if (conflictOf === undefined) return;
    const copies = new Set(this.#copies.get(conflictOf));
    if (isCopy) copies.add(path);
    else copies.delete(path);
    this.#copies.set(conflictOf, copies);
  }

  /** Counts the original of a conflict copy as changed: it names its copies. */
  #touch({ conflictOf }: FileEntry): void {
    if (conflictOf !== undefined && !this.#changes.has(conflictOf))
      this.#changes.set(conflictOf, this.get(conflictOf));
  }
}

function copiesIn(files: Files): Map<string, Set<string>> {
  const copies = new Map<string, Set<string>>();
  for (const [path, { conflictOf }] of Object.entries(files)) {
    if (conflictOf !== undefined) copies.set(conflictOf, (copies.get(conflictOf) ?? new Set()).add(path));
  }
  return copies;
}

/** `__proto__` is a name like any other. */
function set(files: Record<string, FileEntry>, path: string, value: FileEntry): void {
  Object.defineProperty(files, path, { value, writable: true, enumerable: true, configurable: true });
}

function withConflicts(entry: FileEntry, conflicts: readonly string[]): FileEntry {
  const { conflicts: _conflicts, ...rest } = entry;
  return conflicts.length > 0 ? { ...rest, conflicts } : rest;
}
