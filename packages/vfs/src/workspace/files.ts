import { hashText } from "../names.js";

/** A workspace file as graph state holds it. The blob store holds its bytes under the digest. */
export interface FileEntry {
  /** SHA-256 of the bytes, in hex. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  readonly lines: number;
  /** ISO 8601. */
  readonly modifiedAt: string;
  /** Identifies this write: a hash of the digest and the previous version. @default the digest */
  readonly version?: string;
  /** The versions that this one is based on and replaces, newest first, at most 32. @default [] */
  readonly ancestors?: readonly string[];
  /** Proof that a tool of this thread stored the bytes; an entry without it cannot be read. */
  readonly seal?: string;
  /** On a conflict copy: the path that both writers wrote to. */
  readonly conflictOf?: string;
  /** On the file at that path: the paths of its conflict copies. */
  readonly conflicts?: readonly string[];
}

/** A deletion of a file that its writer had seen. It applies only while the file is one of the versions seen. */
export interface FileDeletion {
  readonly deleted: true;
  /** The versions seen, newest first. */
  readonly ancestors: readonly string[];
}

/** The workspace in graph state, by absolute path. */
export type Files = Readonly<Record<string, FileEntry>>;

/** A change of the workspace. `null` deletes the file, whatever its version. */
export type FilesUpdate = Readonly<Record<string, FileEntry | FileDeletion | null>>;

const versionLength = 16;
const maxAncestors = 32;

/** Returns the version of an entry. Pure. */
export function versionOf(entry: FileEntry): string {
  return entry.version ?? entry.digest;
}

/** Returns the version of an entry and of its ancestors, newest first, at most 32. Pure. */
export function lineageOf(entry: FileEntry | undefined): readonly string[] {
  return entry ? [versionOf(entry), ...(entry.ancestors ?? [])].slice(0, maxAncestors) : [];
}

/**
 * Returns the version of content that is written over the newest version of a lineage. Pure.
 * The same write over the same file has the same version, so a node that runs twice changes nothing more. A return to
 * earlier content has a new version.
 */
export function nextVersion(digest: string, lineage: readonly string[]): string {
  return hashText(`${digest} ${lineage[0] ?? ""}`, versionLength);
}

const maxNameBytes = 255;
const maxPathBytes = 1024;

/**
 * Returns the path of the conflict copy of a version: `/report.conflict-1a2b3c4d.md`. Pure.
 * When that is too long for a path, the copy is at the root and its name is a hash.
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
