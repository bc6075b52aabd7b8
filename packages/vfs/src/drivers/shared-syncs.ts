import { posix } from "node:path";

/** Syncs of directories. Concurrent calls for one directory share a sync that has not started yet. */
export class SharedSyncs {
  readonly #syncNow: (path: string) => Promise<void>;
  /** Syncs by path: those under way, and those that begin next. */
  readonly #syncing = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, Promise<void>>();
  /** Directories with a new name that a power failure may lose; the value is new with each name. */
  readonly #changed = new Map<string, object>();

  constructor(syncNow: (path: string) => Promise<void>) {
    this.#syncNow = syncNow;
  }

  /** Marks a directory until a later sync of it has ended. */
  changed(path: string): void {
    this.#changed.set(path, {});
  }

  async sync(path: string): Promise<void> {
    const shared = this.#waiting.get(path) ?? this.#syncNext(path);
    this.#waiting.set(path, shared);
    return shared;
  }

  /** Syncs a directory, and those above it that have changed. */
  async syncUp(path: string): Promise<void> {
    await this.sync(path);
    for (let above = path; above !== "/";) {
      above = posix.dirname(above);
      if (this.#changed.has(above)) await this.sync(above);
    }
  }

  async #syncNext(path: string): Promise<void> {
    await this.#syncing.get(path)?.catch(() => undefined);
    this.#waiting.delete(path);
    const change = this.#changed.get(path);
    const syncing = this.#syncNow(path).finally(() => {
      if (this.#syncing.get(path) === syncing) this.#syncing.delete(path);
    });
    this.#syncing.set(path, syncing);
    await syncing;
    if (this.#changed.get(path) === change) this.#changed.delete(path);
  }
}
