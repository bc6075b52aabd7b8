import { hash } from "node:crypto";
import { hasFilesBelow, pathsOf, readIntact, type FileDriver } from "./drivers/file-driver.js";
import { encryptedDirectory } from "./layout.js";

/** The keys of a thread as its driver holds them. */
export interface StoredKeys {
  /** In the same order in every process. */
  readonly keys: readonly Uint8Array[];
  /** Paths of key files that cannot be read, or whose bytes have changed. */
  readonly damaged: readonly string[];
}

const named = /\/([0-9a-f]{16})(?:\.copy)?$/;

/**
 * The keys of one thread in its directory, outside the archive, where no tool reads. Each key is a file whose name is its
 * checksum, and a copy of that file. No two keys have the same path, so processes that create one at once lose neither: both
 * are keys of the thread. They are copied and deleted with the directory.
 */
export class ThreadKeys {
  readonly directory: string;
  readonly #driver: FileDriver;
  readonly #root: string;

  /** `root` is the thread's directory in the driver. */
  constructor(driver: FileDriver, root: string) {
    this.#driver = driver;
    this.#root = root;
    this.directory = `${root}/keys`;
  }

  async read(): Promise<StoredKeys> {
    const paths: string[] = [];
    for await (const page of pathsOf(this.#driver, this.directory)) paths.push(...page);
    const keys = new Map<string, Uint8Array>();
    const damaged: string[] = [];
    await Promise.all(
      paths.map(async (path) => {
        const name = named.exec(path)?.[1];
        const key = await readIntact(this.#driver, path);
        if (key === undefined || nameOf(key) !== name) damaged.push(path);
        else keys.set(name, key);
      }),
    );
    const sorted = [...keys].sort(([a], [b]) => (a < b ? -1 : 1));
    return { keys: sorted.map(([, key]) => key), damaged: damaged.sort() };
  }

  /** Returns true if the file of a key holds it. Reads one file. */
  async holds(key: Uint8Array): Promise<boolean> {
    return Buffer.from(key).equals((await readIntact(this.#driver, this.#pathOf(key))) ?? Buffer.alloc(0));
  }

  #pathOf(key: Uint8Array): string {
    return `${this.directory}/${nameOf(key)}`;
  }

  /** Stores a key and its copy, over damaged files of its name. */
  async store(key: Uint8Array): Promise<void> {
    const path = this.#pathOf(key);
    for (const each of [path, `${path}.copy`]) {
      const written = await this.#driver.write(each, key, { ifAbsent: true });
      const isIntact =
        written || Buffer.from(key).equals((await readIntact(this.#driver, each)) ?? Buffer.alloc(0));
      if (!isIntact) await this.#driver.write(each, key);
    }
  }

  /**
   * Stores every readable key again, so that its file and its copy are whole, and deletes other damaged files. Returns the paths
   * that were damaged and no longer are; none if there is no readable key. A path that is damaged itself may stay.
   */
  async repair(): Promise<readonly string[]> {
    const { keys, damaged } = await this.read();
    if (keys.length === 0) return [];
    for (const key of keys) await this.store(key);
    for (const path of (await this.read()).damaged) await this.#driver.delete(path);
    const left = new Set((await this.read()).damaged);
    return damaged.filter((path) => !left.has(path));
  }

  /**
   * Returns true if the directory of the thread holds any file. A key is stored before the first of them, so a directory with
   * files and without a key has lost it.
   */
  async isExpected(): Promise<boolean> {
    // Only the paths: a damaged entry is a file too.
    for await (const page of pathsOf(this.#driver, this.#root)) if (page.length > 0) return true;
    return false;
  }

  /** Returns true if the thread has encrypted files, which a driver that encrypts does not list as such. */
  async isEncrypted(): Promise<boolean> {
    return hasFilesBelow(this.#driver, encryptedDirectory + this.#root);
  }
}

/** Returns the name of a key: the first 16 hex digits of its SHA-256. Pure. */
function nameOf(key: Uint8Array): string {
  return hash("sha256", key).slice(0, 16);
}
