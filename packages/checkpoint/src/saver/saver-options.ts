import type { EncryptionOptions, FileDriver } from "@palimpsest/vfs";
import type { MountSource } from "@palimpsest/vfs/internal";
import type { FileReferences } from "../collection/file-references.js";
import type { Engine, Size, WholeDeletion } from "../engine.js";
import type { DeleteCheckpoints } from "../engines/wrapped/in-memory-deletion.js";

export interface VfsSaverOptions {
  /** Whether to compress values that get smaller by it. @default true */
  readonly compress?: boolean;
  /** Further mounts of `saver.files`, such as `/memories/` over a store. @default {} */
  readonly mounts?: Readonly<Record<string, MountSource>>;
  /**
   * The age, in milliseconds, from which `deleteThread` and `prune` delete the content of a workspace file that no thread
   * references. Keep it above twice the longest time between a tool's write and the checkpoint of its step. @default 3_600_000
   */
  readonly grace?: number;
  /**
   * A secret that the digests of workspace files depend on: savers with different keys share no file contents, so a write
   * reveals nothing about what others stored. Give each tenant a saver with a key of its own. Values inside checkpoints do not
   * depend on it: tenants of one database share equal values. @default contents are shared
   */
  readonly tenantKey?: string | Uint8Array;
  /**
   * A secret of the deployment that the keys of threads are derived from, so that a lost key is there again: see
   * `VirtualFilesystem`. @default keys are random
   */
  readonly sealKey?: string | Uint8Array;
  /**
   * Keys that values, archives and workspace files are encrypted with (AES-256-GCM): one for all threads, or by thread, such as that of a
   * tenant. Destroying a key makes all that it encrypted unreadable, copies and backups too. Ids, names of channels and files, sizes and
   * times stay in clear. Every saver of the storage needs it. @default nothing is encrypted
   */
  readonly encryption?: EncryptionOptions;
  /**
   * Approximate bytes of memory for the recent checkpoints of all threads. Those of the least recently used threads are dropped
   * first, and cost one read each when their thread continues. @default 33_554_432
   */
  readonly cacheBytes?: number;
  /** An index of the archives, such as a `RecallIndex`: `deleteThread` deletes the thread there as well. @default none */
  readonly index?: ThreadIndex;
}

/** The part of an index that forgets a thread. */
export interface ThreadIndex {
  removeThread(threadId: string): Promise<void>;
  /** Removes the bytes of what was deleted from its files, for `erase`. Optional: for an index that can. */
  scrub?(): Promise<void>;
  /** Counts its passages and all its bytes, for `sizes`. Optional: for an index that can. */
  size?(): Promise<Size>;
}

/** What else goes with a thread. */
export interface DeleteOptions {
  readonly keepArchive: boolean;
  /** @default those of the saver, with its grace */
  readonly references?: FileReferences;
  /** @default that of the saver */
  readonly index?: ThreadIndex | undefined;
}

/** Returns the secrets among the options of a saver. */
export function secretsIn({
  tenantKey,
  sealKey,
  encryption,
}: VfsSaverOptions): Pick<VfsSaverOptions, "tenantKey" | "sealKey" | "encryption"> {
  return {
    ...(tenantKey === undefined ? {} : { tenantKey }),
    ...(sealKey === undefined ? {} : { sealKey }),
    ...(encryption === undefined ? {} : { encryption }),
  };
}

/** The options of every saver, by name. */
export const optionNames = [
  "compress",
  "mounts",
  "grace",
  "tenantKey",
  "sealKey",
  "encryption",
  "cacheBytes",
  "index",
];

export interface WrapOptions extends VfsSaverOptions {
  /** Stores contents and files. Closing the saver does not close it. */
  readonly blobs: FileDriver;
  /**
   * Deletes single checkpoints of the wrapped saver, with their writes, for `prune`: LangGraph's interface has no call for it.
   * @default built in for a MemorySaver; others cannot be pruned
   */
  readonly deleteCheckpoints?: DeleteCheckpoints;
}

/** The parts of a saver. */
export interface VfsSaverParts extends VfsSaverOptions {
  readonly engine: Engine;
  /** Stores `saver.files`. */
  readonly driver: FileDriver;
  /** Deletes checkpoints and files at once, where one database has both. @default one after the other */
  readonly deletion?: WholeDeletion;
}
