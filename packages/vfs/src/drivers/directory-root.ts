import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { join, posix, relative, resolve, sep } from "node:path";
import { errorCode, FileError } from "../errors.js";
import { temporaryName } from "./reserved-names.js";
import { SharedSyncs } from "./shared-syncs.js";
import { syncAt } from "./sync-at.js";

/**
 * An open directory inside the root. Operations on its names apply to this directory, even if its path leads elsewhere by now.
 */
export interface OpenDirectory {
  /** Returns the location of a name in the directory. */
  at(name: string): string;
  close(): void;
}

/** A file or directory inside the root that was looked up once. */
export interface Found {
  readonly stats: Stats;
  /** The normal path, below the root, of the target of a link; the path itself without links. */
  readonly path: string;
  /** Returns a descriptor of exactly this file for reading, which the caller closes. */
  open(): number;
  close(): void;
}

/**
 * Linux's O_PATH, which Node does not name: refers to a file without opening it, so that a link out of the root has no effect
 * there.
 */
const refer = 0o10000000;
/** Absent on Windows, where a bitwise or counts them as 0. */
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const descriptors = "/proc/self/fd";

/**
 * A directory on disk that paths cannot leave, by `..` or by symbolic link.
 *
 * On Linux it looks a path up once, asks the kernel where that led, and works on the open descriptor, so that another process
 * cannot swap a directory for a link in between. Elsewhere it checks the path and then uses it.
 */
export class DirectoryRoot {
  readonly path: string;
  /** True if an acknowledged write survives a power failure. */
  readonly isDurable: boolean;
  readonly #isPinned: boolean;
  readonly #syncs = new SharedSyncs(async (path) => this.#sync(path));

  /**
   * Creates the directory and writes a probe file. Throws a FileError "unwritable" when either fails, and "invalid-path" for
   * an empty path.
   */
  constructor(directory: string, { isDurable = true }: { readonly isDurable?: boolean } = {}) {
    checkPath(directory);
    this.isDurable = isDurable;
    const wanted = resolve(directory);
    try {
      mkdirSync(wanted, { recursive: true });
      const probe = join(wanted, temporaryName(randomUUID()));
      writeFileSync(probe, "", { flag: "wx" });
      unlinkSync(probe);
      this.path = realpathSync(wanted);
    } catch (cause) {
      throw new FileError(
        "unwritable",
        `The directory ${wanted} cannot be written (${errorCode(cause) ?? String(cause)}). ` +
          "Give a directory that this process may create and write to.",
        { cause },
      );
    }
    this.#isPinned = canPin(this.path);
  }

  /**
   * Returns what is at a normal path, or undefined when nothing is. Throws a FileError "invalid-path" when it is outside the
   * root.
   */
  async find(path: string): Promise<Found | undefined> {
    const opened = await this.#lookUp(path, 0);
    if (!opened) return undefined;
    const { real, descriptor } = opened;
    const isPinned = descriptor !== undefined;
    const close = () => closePinned(descriptor);
    try {
      const stats = isPinned ? fstatSync(descriptor) : await stat(real);
      const open = () =>
        isPinned
          ? openSync(`${descriptors}/${descriptor}`, O_RDONLY | O_NONBLOCK)
          : openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      return { stats, path: this.#pathOf(real), open, close };
    } catch (error) {
      close();
      return ignoreAbsent(error);
    }
  }

  /** Returns an existing directory, or undefined. Throws a FileError "invalid-path" when it is outside the root. */
  async enter(path: string): Promise<OpenDirectory | undefined> {
    const opened = await this.#lookUp(path, O_DIRECTORY);
    return opened && openDirectory(opened.real, opened.descriptor);
  }

  /** Returns a directory in an open one, without following a link; undefined when there is none. */
  async enterChild(parent: OpenDirectory, name: string): Promise<OpenDirectory | undefined> {
    const location = parent.at(name);
    if (!this.#isPinned) return openDirectory(location);
    try {
      return openDirectory(location, openSync(location, refer | O_DIRECTORY | O_NOFOLLOW));
    } catch (error) {
      return ignoreAbsent(error);
    }
  }

  /** Returns a directory, and creates it if it is missing. Throws as `enter` does, and the system error ENOTDIR for a file. */
  async make(path: string): Promise<OpenDirectory> {
    if (path === "/") mkdirSync(this.path, { recursive: true });
    const existing = await this.enter(path);
    if (existing) return existing;
    const parent = await this.make(posix.dirname(path));
    const name = posix.basename(path);
    try {
      makeChild(parent, name);
      // In the same tick, so that a write that finds the directory also finds its parent marked, and syncs both.
      if (this.isDurable) this.#syncs.changed(posix.dirname(path));
      if (!this.#isPinned) return openDirectory(parent.at(name));
      return openDirectory(path, openSync(parent.at(name), refer | O_DIRECTORY | O_NOFOLLOW));
    } finally {
      parent.close();
    }
  }

  /** Makes the names in a directory survive a power failure. Does nothing on Windows, which has no call for that. */
  async sync(path: string): Promise<void> {
    return this.#syncs.sync(path);
  }

  /** Syncs a directory, and those above it in which `make` has created one since. */
  async syncUp(path: string): Promise<void> {
    return this.#syncs.syncUp(path);
  }

  async #sync(path: string): Promise<void> {
    const directory = await this.enter(path);
    try {
      if (directory) await syncAt(directory.at("."), O_RDONLY);
    } catch (error) {
      if (!unsyncable.has(errorCode(error) ?? "")) throw error;
    } finally {
      directory?.close();
    }
  }

  /**
   * Looks a path up, and refuses it if it leads out of the root. The calls are synchronous, because each takes a tenth of the
   * time of an asynchronous one, which also waits for every running sync of the disk.
   */
  async #lookUp(path: string, flags: number): Promise<{ real: string; descriptor?: number } | undefined> {
    const location = join(this.path, ...path.split("/"));
    if (!this.#isPinned) {
      const real = await realpath(location).catch((error: unknown) => this.#absent(error, path));
      return real === undefined ? undefined : { real: this.#checked(real, path) };
    }
    let descriptor: number;
    try {
      descriptor = openSync(location, refer | flags);
    } catch (error) {
      return this.#absent(error, path);
    }
    try {
      return { real: this.#checked(readlinkSync(`${descriptors}/${descriptor}`), path), descriptor };
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  #absent(error: unknown, path: string): undefined {
    if (errorCode(error) === "ELOOP") throw this.#refuse(path);
    return ignoreAbsent(error);
  }

  #checked(real: string, path: string): string {
    if (real === this.path || real.startsWith(this.path.endsWith(sep) ? this.path : this.path + sep))
      return real;
    throw this.#refuse(path);
  }

  #pathOf(real: string): string {
    return `/${relative(this.path, real).split(sep).join("/")}`;
  }

  #refuse(path: string): FileError {
    return new FileError(
      "invalid-path",
      `${path} leads out of the root through a symbolic link. Use a path that stays inside.`,
    );
  }
}

/** Creates a directory in an open one, unless it is there. */
function makeChild(parent: OpenDirectory, name: string): void {
  try {
    mkdirSync(parent.at(name));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function openDirectory(location: string, descriptor?: number): OpenDirectory {
  const base = descriptor === undefined ? location : `${descriptors}/${descriptor}`;
  return { at: (name) => `${base}/${name}`, close: () => closePinned(descriptor) };
}

function closePinned(descriptor: number | undefined): void {
  if (descriptor !== undefined) closeSync(descriptor);
}

/** Returns true if the system reports the path of an open file and resolves paths relative to it. */
function canPin(directory: string): boolean {
  try {
    const descriptor = openSync(directory, refer | O_DIRECTORY);
    try {
      return readlinkSync(`${descriptors}/${descriptor}`) === directory;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
}

const unsyncable = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

const absent = new Set(["ENOENT", "ENOTDIR"]);

/** Returns undefined for the error of a path that does not exist, and throws any other. */
export function ignoreAbsent(error: unknown): undefined {
  if (!absent.has(errorCode(error) ?? "")) throw error;
}

/** An empty path would resolve to the working directory, so an unset variable would hand that directory to the agent. */
function checkPath(directory: unknown): void {
  if (typeof directory === "string" && directory.trim() !== "") return;
  throw new FileError(
    "invalid-path",
    `The directory is ${JSON.stringify(directory)}. Give its path, "." for the working directory.`,
  );
}
