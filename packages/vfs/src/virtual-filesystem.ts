import { Archive, archivePrefix } from "./archive.js";
import type { Backend } from "./backend.js";
import { CompositeBackend } from "./backends/composite-backend.js";
import { DriverBackend } from "./backends/driver-backend.js";
import type { MountableBackend } from "./backends/mountable-backend.js";
import { BlobStore } from "./blob-store.js";
import { DirectoryDriver, type DirectoryDriverOptions } from "./drivers/directory-driver.js";
import type { FileDriver } from "./drivers/file-driver.js";
import { MemoryDriver } from "./drivers/memory-driver.js";
import { overlayDriver } from "./drivers/overlay-driver.js";
import { EncryptedDriver } from "./encryption/encrypted-driver.js";
import { KeyRing, type EncryptionOptions } from "./encryption/key-ring.js";
import { emptyKey, FileError } from "./errors.js";
import { Lanes } from "./lanes.js";
import { blobsDirectory, threadDirectory } from "./layout.js";
import { directoryPrefix, normalizeRoot } from "./paths.js";
import { ThreadSeal, type KnownKeys } from "./thread-seal.js";
import type { Files } from "./workspace/files.js";
import { WorkspaceBackend } from "./workspace/workspace-backend.js";

/** A backend for all threads, or a function that gives each thread its own. */
export type MountSource = MountableBackend | ((threadId: string) => MountableBackend);

export interface VirtualFilesystemOptions {
  /** Mounts in addition to the workspace at `/` and the archive at `/context/`. @default {} */
  readonly mounts?: Readonly<Record<string, MountSource>>;
  /** Milliseconds after which a write of existing content stores its blob again. @default 1_800_000 */
  readonly renewAfter?: number;
  /**
   * A secret that the digests of file contents depend on. Filesystems with different keys share no content, so the time of a
   * write reveals nothing about what others stored. Give each tenant a filesystem with a key of its own. @default content is
   * shared
   */
  readonly tenantKey?: string | Uint8Array;
  /**
   * A secret of the deployment that the keys of threads are derived from: a key that was lost is then there again. Every process
   * on the same storage needs the same one. @default keys are random
   */
  readonly sealKey?: string | Uint8Array;
  /**
   * Keys that the files of threads are encrypted with, archives and workspaces: whoever has the storage without the keys reads names,
   * sizes and times alone. @default not encrypted
   */
  readonly encryption?: EncryptionOptions;
}

/** One append to the archive of a thread. */
export interface Appended {
  readonly threadId: string;
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** Runs after each append. It must not throw. */
export type AppendListener = (appended: Appended) => void;

/** Archive files by path, as text, that graph state holds while the archive cannot be written. */
export type HeldFiles = ReadonlyMap<string, string>;

/** The tree of one thread. */
export interface ThreadFiles {
  readonly threadId: string;
  /** Nodes append the originals of folds here. */
  readonly archive: Archive;
  /** The agent's own files; `workspace.changes` is the update for the `files` channel. */
  readonly workspace: WorkspaceBackend;
  /** What the agent may read of the archive: without what the lanes of other agents do not share. */
  readonly readable: Archive;
  /** What the agent sees: the workspace at `/`, the archive at `/context/`, read-only, and the other mounts. */
  readonly backend: Backend;
}

/** For whom a tree is. */
export interface ThreadView {
  /** Archive files that are readable below `/context/` as if they were archived. @default none */
  readonly held?: HeldFiles;
  /** Name of the agent's lane. @default the agent has none */
  readonly lane?: string | undefined;
}

const noneHeld: HeldFiles = new Map();
/** Threads whose keys are cached. */
const maxKeys = 10_000;

/**
 * The files of all threads, which nodes, tools and middleware share: blobs and archives on one driver. Apart from a cache of
 * keys, an instance holds no state of a thread, so it serves any number of threads at once.
 */
export class VirtualFilesystem {
  /** Reads all files. Write those of a thread through `threadDriver`. */
  readonly driver: FileDriver;
  /** Reads the contents of all workspace files. */
  readonly blobs: BlobStore;
  /** The keys of `encryption`. */
  readonly ring: KeyRing | undefined;
  readonly #mounts: Readonly<Record<string, MountSource>>;
  readonly #listeners = new Set<AppendListener>();
  readonly #sealKey: string | Uint8Array | undefined;
  readonly #keys = new Map<string, KnownKeys>();

  /**
   * Throws a FileError "invalid-path" for a mount at `/`, at or below `/context/`, or with the name `.` or `..`,
   * "invalid-option" without a driver, with one for mounts alone, or for an `encryption` of another form, "invalid-key" for an empty key.
   */
  constructor(options: VirtualFilesystemOptions & { readonly driver: FileDriver }) {
    checkDriver(options);
    const { driver, mounts = {}, renewAfter, tenantKey, sealKey, encryption } = options;
    if (sealKey?.length === 0) throw emptyKey("sealKey", "the deployment");
    this.ring = encryption && new KeyRing(encryption);
    this.driver = this.ring ? new EncryptedDriver(driver, this.ring) : driver;
    this.#sealKey = sealKey;
    const age = renewAfter === undefined ? {} : { renewAfter };
    const key = tenantKey === undefined ? {} : { key: tenantKey };
    this.blobs = new BlobStore(driver, { root: blobsDirectory, ring: this.ring, ...age, ...key });
    this.#mounts = mounts;
    for (const path of Object.keys(mounts)) checkMount(path);
  }

  /** Returns a filesystem in the memory of this process. */
  static inMemory(options: VirtualFilesystemOptions = {}): VirtualFilesystem {
    return new VirtualFilesystem({ ...options, driver: new MemoryDriver() });
  }

  /** Returns a filesystem in a directory on disk. Throws the errors of `DirectoryDriver`. */
  static fromDirectory(
    directory: string,
    { durability, ...options }: VirtualFilesystemOptions & DirectoryDriverOptions = {},
  ): VirtualFilesystem {
    const driver = new DirectoryDriver(directory, durability === undefined ? {} : { durability });
    return new VirtualFilesystem({ ...options, driver });
  }

  /**
   * Returns the tree of a thread, with the `files` of its state as workspace. An entry that was not written through a tree of
   * this thread, or of the thread that it is a copy of, is listed but cannot be read. What lanes of other agents do not share
   * is not in `backend` and `readable`.
   * Throws a FileError "invalid-path" for an id that is empty or not a string.
   */
  thread(threadId: string, files: Files = {}, { held = noneHeld, lane }: ThreadView = {}): ThreadFiles {
    const workspace = new WorkspaceBackend(this.blobs.of(threadId), files, { seal: this.seal(threadId) });
    const further = Object.entries(this.#mounts).map(([path, source]): [string, MountableBackend] => [
      path,
      typeof source === "function" ? source(threadId) : source,
    ]);
    const root = threadDirectory(threadId);
    const driver = new Lanes(this.#with(held, threadId), threadId).view(lane);
    const backend = new CompositeBackend(workspace, {
      [archivePrefix]: archiveView(driver, root),
      ...Object.fromEntries(further),
    });
    const readable = new Archive(driver, root);
    return { threadId, archive: this.archive(threadId), readable, workspace, backend };
  }

  /**
   * Returns the archive of a thread, for nodes that append to it or read it. `held` is readable as if it were archived: do not
   * append these files to this instance, which would find them already there.
   * Throws a FileError "invalid-path" for an id that is empty or not a string.
   */
  archive(threadId: string, held: HeldFiles = noneHeld): Archive {
    return new Archive(this.#with(held, threadId), threadDirectory(threadId), {
      prepare: async () => this.seal(threadId).prepare(),
      onAppend: (path, content) => {
        for (const listener of this.#listeners) listener({ threadId, path, content });
      },
    });
  }

  /**
   * Returns the archive of a thread as a backend: read-only, with paths below `/context/` as paths below `/`, for a tree that
   * mounts it there. `lane` is that of the agent that reads; what other lanes do not share is not there.
   * Throws a FileError "invalid-path" for an id that is empty or not a string.
   */
  archiveBackend(threadId: string, lane?: string): Backend {
    return archiveView(this.lanes(threadId).view(lane), threadDirectory(threadId));
  }

  /**
   * Returns the lanes of a thread and what they share.
   * Throws a FileError "invalid-path" for an id that is empty or not a string.
   */
  lanes(threadId: string): Lanes {
    return new Lanes(this.threadDriver(threadId), threadId, async () => this.seal(threadId).prepare());
  }

  /**
   * Returns the seal that signs and verifies the state of a thread.
   * Throws a FileError "invalid-path" for an id that is empty or not a string.
   */
  seal(threadId: string): ThreadSeal {
    const known = this.#keys.get(threadId) ?? { stored: [] };
    const seal = new ThreadSeal({
      driver: this.threadDriver(threadId),
      threadId,
      known,
      sealKey: this.#sealKey,
    });
    this.#keys.delete(threadId);
    this.#keys.set(threadId, known);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > maxKeys && oldest !== undefined) this.#keys.delete(oldest);
    return seal;
  }

  /** The paths of the mounts that were given. */
  get mountPaths(): readonly string[] {
    return Object.keys(this.#mounts);
  }

  /** The driver as it was given, whose files are encrypted where this filesystem encrypts. */
  get storedDriver(): FileDriver {
    return this.driver instanceof EncryptedDriver ? this.driver.stored : this.driver;
  }

  /** Returns the driver that reads and writes the files of a thread, at the same paths as `driver`. */
  threadDriver(threadId: string): FileDriver {
    return this.driver instanceof EncryptedDriver ? this.driver.of(threadId) : this.driver;
  }

  /** Calls the listener after each append through this filesystem. Returns a function that removes the listener. */
  onAppend(listener: AppendListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #with(held: HeldFiles, threadId: string): FileDriver {
    if (held.size === 0) return this.threadDriver(threadId);
    const root = threadDirectory(threadId);
    return overlayDriver(
      this.threadDriver(threadId),
      new Map([...held].map(([path, text]) => [root + path, text])),
    );
  }
}

function checkDriver(options: { readonly driver?: unknown } | undefined): void {
  const driver = options?.driver as Partial<FileDriver> | undefined;
  if (driver?.isPerRun === true)
    throw new FileError(
      "invalid-option",
      "The namespace of this driver depends on the run, but archives and contents are read outside runs too: use it as a mount, such as /memories/, and give this driver a namespace that is a list.",
    );
  if (typeof driver?.write === "function") return;
  throw new FileError(
    "invalid-option",
    "new VirtualFilesystem takes a driver: call VirtualFilesystem.fromDirectory(directory) or VirtualFilesystem.inMemory(), or pass { driver }.",
  );
}

function checkMount(path: string): void {
  const prefix = directoryPrefix(normalizeRoot(path));
  if (prefix !== "/" && !prefix.startsWith(archivePrefix)) return;
  throw new FileError(
    "invalid-path",
    `${path} is taken: / is the workspace and ${archivePrefix} the archive. Mount at another path, such as /memories/.`,
  );
}

/** Returns the archive of a thread as the agent sees it at `/context/`: read-only. */
export function archiveView(driver: FileDriver, root: string): DriverBackend {
  return new DriverBackend(driver, {
    root: root + archivePrefix,
    readOnly: `the archive is append-only. Write to a path outside ${archivePrefix}.`,
  });
}
