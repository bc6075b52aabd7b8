import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { mkdir, open, readlink, realpath, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join, posix, relative, resolve, sep } from "node:path";
import { errorCode, FileError } from "../errors.js";
import { temporaryName } from "./reserved-names.js";

/** An open directory inside the root. What happens at its names happens in this directory, wherever its path leads by now. */
export interface OpenDirectory {
  /** Returns the location of a name in the directory. */
  at(name: string): string;
  close(): Promise<void>;
}

/** A file or directory inside the root that was looked up once. */
export interface Found {
  readonly stats: Stats;
  /** The normal path, below the root, of what a link led to; the path itself without links. */
  readonly path: string;
  /** Opens exactly this file for reading. */
  read(): Promise<FileHandle>;
  close(): Promise<void>;
}

/** Refers to a file without opening it: a link out of the root makes nothing there happen. Linux; Node does not name it. */
const refer = 0o10000000;
/** Absent on Windows, where a bitwise or counts them as 0. */
const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const descriptors = "/proc/self/fd";

/**
 * A directory on disk that paths cannot leave, by `..` or by symbolic link.
 *
 * On Linux it looks a path up once, asks the kernel where that led, and works on what it has looked up, so that a directory
 * that another process swaps for a link in between leads nowhere. Elsewhere it checks the path and then uses it.
 */
export class DirectoryRoot {
  readonly path: string;
  readonly #isPinned: boolean;

  /**
   * Creates the directory and writes a probe file. Throws a FileError "unwritable" when either fails, and "invalid-path" for
   * an empty path.
   */
  constructor(directory: string) {
    checkPath(directory);
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

  /** Returns what is at a normal path, or undefined when nothing is. Throws a FileError "invalid-path" when it is outside the root. */
  async find(path: string): Promise<Found | undefined> {
    const opened = await this.#lookUp(path, 0);
    if (!opened) return undefined;
    const { real, handle } = opened;
    const close = async () => handle?.close();
    try {
      const stats = handle ? await handle.stat() : await stat(real);
      const read = async () =>
        handle
          ? open(`${descriptors}/${handle.fd}`, O_RDONLY | O_NONBLOCK)
          : open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      return { stats, path: this.#pathOf(real), read, close };
    } catch (error) {
      await close();
      return ignoreAbsent(error);
    }
  }

  /** Returns an existing directory, or undefined. Throws a FileError "invalid-path" when it is outside the root. */
  async enter(path: string): Promise<OpenDirectory | undefined> {
    const opened = await this.#lookUp(path, O_DIRECTORY);
    return opened && openDirectory(opened.real, opened.handle);
  }

  /** Returns a directory in an open one, without following a link; undefined when there is none. */
  async enterChild(parent: OpenDirectory, name: string): Promise<OpenDirectory | undefined> {
    const location = parent.at(name);
    if (!this.#isPinned) return openDirectory(location);
    const handle = await open(location, refer | O_DIRECTORY | O_NOFOLLOW).catch(ignoreAbsent);
    return handle && openDirectory(location, handle);
  }

  /**
   * Returns a directory, and creates it where it is missing: `parents` receives the directory of each that it creates, the
   * highest first. Throws as `enter` does, and the system error ENOTDIR for a file.
   */
  async make(path: string, parents: string[] = []): Promise<OpenDirectory> {
    if (path === "/") await mkdir(this.path, { recursive: true });
    const existing = await this.enter(path);
    if (existing) return existing;
    const parent = await this.make(posix.dirname(path), parents);
    const name = posix.basename(path);
    try {
      await mkdir(parent.at(name)).catch((error: unknown) => {
        if (errorCode(error) !== "EEXIST") throw error;
      });
      parents.push(posix.dirname(path));
      if (!this.#isPinned) return openDirectory(parent.at(name));
      return openDirectory(path, await open(parent.at(name), refer | O_DIRECTORY | O_NOFOLLOW));
    } finally {
      await parent.close();
    }
  }

  /** Makes the names in a directory survive a power failure, where the system has a call for that: Windows has none. */
  async sync(path: string): Promise<void> {
    const directory = await this.enter(path);
    try {
      const handle = await (directory && open(directory.at("."), O_RDONLY));
      await handle?.sync().finally(async () => handle.close());
    } catch (error) {
      if (!unsyncable.has(errorCode(error) ?? "")) throw error;
    } finally {
      await directory?.close();
    }
  }

  /** Looks a path up, and refuses it when that led out of the root. */
  async #lookUp(path: string, flags: number): Promise<{ real: string; handle?: FileHandle } | undefined> {
    const location = join(this.path, ...path.split("/"));
    if (!this.#isPinned) {
      const real = await realpath(location).catch((error: unknown) => this.#absent(error, path));
      return real === undefined ? undefined : { real: this.#checked(real, path) };
    }
    const handle = await open(location, refer | flags).catch((error: unknown) => this.#absent(error, path));
    if (!handle) return undefined;
    try {
      return { real: this.#checked(await readlink(`${descriptors}/${handle.fd}`), path), handle };
    } catch (error) {
      await handle.close();
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

function openDirectory(location: string, handle?: FileHandle): OpenDirectory {
  const base = handle ? `${descriptors}/${handle.fd}` : location;
  return { at: (name) => `${base}/${name}`, close: async () => handle?.close() };
}

/** Returns true where the system says where an open file is, and lets paths begin at it. */
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
