import { conflictPath, lineageOf, versionOf } from "./files.js";
import type { FileDeletion, FileEntry, Files, FilesUpdate } from "./files.js";

/**
 * Returns the files after an update: the reducer of the `files` channel. Pure and idempotent. Parallel updates give the
 * same files in any order and in any batches.
 *
 * A write replaces the versions that it is based on. When two writes are based on the same version, both stay: the later
 * one (by time, then by version) at the path, the other one at its conflict path, and each entry names the other path.
 * `null` deletes in any case; a FileDeletion applies only while the file is a version that its writer had seen.
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

/** A mutable copy of files, indexed by the paths that have conflict copies. The input stays unchanged. */
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

  /** Returns the unedited conflict copies of a path. An edited copy is a file in its own right. */
  copiesOf(path: string): [string, FileEntry][] {
    return [...(this.#copies.get(path) ?? [])].flatMap((copy): [string, FileEntry][] => {
      const entry = this.#entries.get(copy);
      return entry && conflictPath(path, versionOf(entry)) === copy ? [[copy, entry]] : [];
    });
  }

  /** Returns the files, with `conflicts` set on every changed path. */
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
