import { conflictPath, lineageOf, versionOf } from "./files.js";
import type { FileDeletion, FileEntry, Files, FilesUpdate } from "./files.js";

/**
 * Returns the files after an update: the reducer of the `files` channel. Pure and idempotent; updates made in parallel
 * give the same files in whatever order and batches they arrive.
 *
 * A write replaces the versions it was made from. Where two writers went out from the same version, both are kept: the
 * later one (by time, then by version) at the path, the other at its conflict path, each naming the other. `null` deletes
 * at once; a deletion applies only while the file is a version that its maker saw.
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
  const there = table.get(path);
  if (there && (change === null || change.ancestors.includes(versionOf(there)))) table.delete(path);
}

/** All versions that nobody has replaced stay; the newest stands at the path. */
function join(table: FileTable, path: string, entry: FileEntry): void {
  const there = table.get(path);
  if (there && versionOf(there) === versionOf(entry) && there.modifiedAt === entry.modifiedAt) return;
  const home = homeOf(path, entry);
  const standing = table.get(home);
  const copies = table.copiesOf(home);
  const known = [...(standing ? [standing] : []), ...copies.map(([, copy]) => copy)];
  if (known.some((version) => version.ancestors?.includes(versionOf(entry)))) return;

  const heads = addHead(known, entry);
  for (const [copy] of copies) table.delete(copy);
  const stands = standing !== undefined || home === path;
  if (stands) table.set(home, bare(heads[0] ?? entry));
  for (const head of stands ? heads.slice(1) : heads) keepCopy(table, home, head);
}

/** An untouched copy that arrives by itself, as when a host feeds whole states back, is a version of its home. */
function homeOf(path: string, entry: FileEntry): string {
  const { conflictOf } = entry;
  return conflictOf !== undefined && conflictPath(conflictOf, versionOf(entry)) === path ? conflictOf : path;
}

/** The versions left when one more is known, the one to stand at the path first. */
function addHead(known: readonly FileEntry[], entry: FileEntry): FileEntry[] {
  const same = known.find((version) => versionOf(version) === versionOf(entry));
  const replaced = lineageOf(entry);
  const others = known.filter((version) => !replaced.includes(versionOf(version)));
  return [...others, same ? earlier(same, entry) : entry].sort(byTimeThenVersion);
}

/** One write that was made twice counts from its first time. */
function earlier(a: FileEntry, b: FileEntry): FileEntry {
  return b.modifiedAt < a.modifiedAt ? b : a;
}

function byTimeThenVersion(a: FileEntry, b: FileEntry): number {
  if (a.modifiedAt !== b.modifiedAt) return a.modifiedAt > b.modifiedAt ? -1 : 1;
  return versionOf(a) > versionOf(b) ? -1 : 1;
}

/** A file of somebody's own at the conflict path is not written over: it and the copy are two versions in turn. */
function keepCopy(table: FileTable, home: string, head: FileEntry): void {
  const path = conflictPath(home, versionOf(head));
  const there = table.get(path);
  if (!there) table.set(path, { ...bare(head), conflictOf: home });
  else join(table, path, bare(head));
}

function bare(entry: FileEntry): FileEntry {
  const { conflictOf: _conflictOf, conflicts: _conflicts, ...rest } = entry;
  return rest;
}

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
