import { hashText } from "../names.js";

/** A file of the workspace as graph state holds it. Its bytes are the blob with its digest. */
export interface FileEntry {
  /** SHA-256 of the bytes, in hex. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  readonly lines: number;
  /** ISO 8601. */
  readonly modifiedAt: string;
  /** Names this write: a hash of the digest and the version it was made from. @default the digest */
  readonly version?: string;
  /** The versions this one was made from and so replaces, newest first, at most 32. @default [] */
  readonly ancestors?: readonly string[];
  /** On the copy kept of a version that another writer's stands beside: the path both were written to. */
  readonly conflictOf?: string;
  /** On the file at that path: where the other versions are kept. */
  readonly conflicts?: readonly string[];
}

/** A deletion by somebody who saw a file. It applies only while the file is still one of the versions seen. */
export interface FileDeletion {
  readonly deleted: true;
  /** The versions seen, newest first. */
  readonly ancestors: readonly string[];
}

/** The workspace in graph state, by absolute path. */
export type Files = Readonly<Record<string, FileEntry>>;

/** A change of the workspace. `null` deletes whatever is there. */
export type FilesUpdate = Readonly<Record<string, FileEntry | FileDeletion | null>>;

const versionLength = 16;
const maxAncestors = 32;

/** Returns the name of the write that made an entry. Pure. */
export function versionOf(entry: FileEntry): string {
  return entry.version ?? entry.digest;
}

/** Returns the versions that somebody who saw an entry has seen, newest first, at most 32. Pure. */
export function lineageOf(entry: FileEntry | undefined): readonly string[] {
  return entry ? [versionOf(entry), ...(entry.ancestors ?? [])].slice(0, maxAncestors) : [];
}

/**
 * Returns the version of content written over what a lineage ends in. Pure.
 * The same write over the same file gets the same version, so a node that runs twice changes nothing more; going back to
 * earlier content gets a new one.
 */
export function nextVersion(digest: string, lineage: readonly string[]): string {
  return hashText(`${digest} ${lineage[0] ?? ""}`, versionLength);
}

const maxNameBytes = 255;
const maxPathBytes = 1024;

/**
 * Returns where a version is kept when another stands at its path: `/report.conflict-1a2b3c4d.md`. Pure.
 * Where that would be too long for a path, the name is a hash, at the root.
 */
export function conflictPath(path: string, version: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const directory = path.slice(0, path.length - name.length);
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  const mark = `conflict-${hashText(version, 8)}`;
  const kept = `${stem}.${mark}${extension}`;
  const fits = Buffer.byteLength(kept) <= maxNameBytes && Buffer.byteLength(directory + kept) <= maxPathBytes;
  return fits ? directory + kept : `/${hashText(path, 16)}.${mark}`;
}
