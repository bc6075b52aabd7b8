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
