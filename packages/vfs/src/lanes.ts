import { isUtf8 } from "node:buffer";
import type { FileDriver } from "./drivers/file-driver.js";
import { pathsOf } from "./drivers/file-driver.js";
import { FileError, showValue } from "./errors.js";
import { threadDirectory } from "./layout.js";
import { normalizePath } from "./paths.js";
import { encodeText } from "./reading/utf8.js";

/** What other agents of the thread may read of a lane: nothing, the stand-ins of its folds, or also the originals. */
export type LaneShare = "none" | "summary" | "all";

/** A lane: the part of a thread's archive in which one agent folds, below `/context/lanes/<name>/`. */
export interface LaneRecord {
  readonly name: string;
  readonly share: LaneShare;
}

/** The directory of all lanes in an archive. */
export const lanesPrefix = "/context/lanes/";

/** Folder of a lane that others may read with the share `summary`. */
const shownFolder = "stand-ins/";

/** Directory of the records. It sorts before the archive and the keys, so a copy of a thread has the keys and the archive first. */
const records = "/agents";

/** Names of lanes: they are file names, and parts of paths that a model writes. */
const named = /^[A-Za-z0-9_-]{1,40}$/;

/** Returns whether a text can be the name of a lane. Pure. */
export function isLaneName(name: unknown): name is string {
  return typeof name === "string" && named.test(name);
}

/**
 * Returns whether a path below the directory of a thread may be in a lane. Some filesystems read another spelling as the same name:
 * such a path counts as one of a lane, which nobody has.
 */
function isInLanes(path: string): boolean {
  if (!path.startsWith(archive)) return false;
  const end = path.indexOf("/", archive.length);
  const folder = path.slice(archive.length, end < 0 ? path.length : end);
  // Hot path: a search asks for every file.
  if (plainFolder.test(folder)) return folder === "lanes";
  const letters = folder.normalize("NFKC").replace(/[^\p{L}\p{N}]/gu, "");
  return letters.toLowerCase() === "lanes";
}

const archive = "/context/";
const plainFolder = /^[a-z-]+$/;

/**
 * The lanes of one thread, and what the agent of one of them may read. What a lane shares is a file in the directory of the thread,
 * outside the archive, so it is the same for every process and goes with the thread.
 */
export class Lanes {
  readonly #driver: FileDriver;
  readonly #root: string;

  readonly #prepare: () => Promise<void>;

  /**
   * `prepare` runs before a record is stored; if it throws, nothing is. Throws a FileError "invalid-path" for an id that is empty or
   * not a string.
   */
  constructor(driver: FileDriver, threadId: string, prepare = async (): Promise<void> => undefined) {
    this.#driver = driver;
    this.#root = threadDirectory(threadId);
    this.#prepare = prepare;
  }

  /**
   * Stores what a lane shares, where that is new. Call it before the first file of the lane is appended: a lane without a record
   * shares nothing. Throws a FileError "invalid-path" for a name that is none.
   */
  async declare({ name, share }: LaneRecord): Promise<void> {
    if ((await this.shareOf(name)) === share) return;
    const path = this.#recordPath(name);
    await this.#prepare();
    await this.#driver.write(path, encodeText(JSON.stringify({ share }), path));
  }

  /** Returns what a lane shares; undefined without a record. Throws as `declare` does. */
  async shareOf(name: string): Promise<LaneShare | undefined> {
    const bytes = await this.#driver.read(this.#recordPath(name));
    if (bytes === undefined || !isUtf8(bytes)) return undefined;
    try {
      const { share } = JSON.parse(Buffer.from(bytes).toString()) as Partial<LaneRecord>;
      return share === "summary" || share === "all" ? share : "none";
    } catch {
      return "none";
    }
  }

  /** Returns the lanes of the thread, sorted by name. */
  async list(): Promise<readonly LaneRecord[]> {
    const names: string[] = [];
    const directory = this.#root + records;
    for await (const paths of pathsOf(this.#driver, directory))
      for (const path of paths) names.push(path.slice(directory.length + 1).replace(/\.json$/, ""));
    const known = names.filter(isLaneName).toSorted();
    return Promise.all(known.map(async (name) => ({ name, share: (await this.shareOf(name)) ?? "none" })));
  }

  /**
   * Returns a function that tells whether the agent of a lane, or one without, may read an archive path. It reads what a lane
   * shares once.
   */
  reader(own: string | undefined): (path: string) => Promise<boolean> {
    const shares = new Map<string, Promise<LaneShare | undefined>>();
    return async (path) => {
      if (!isInLanes(path)) return true;
      if (!path.startsWith(lanesPrefix)) return path === lanesPrefix.slice(0, -1);
      const [name = "", ...rest] = path.slice(lanesPrefix.length).split("/");
      if (name === own) return true;
      if (!isLaneName(name)) return false;
      const share = shares.get(name) ?? this.shareOf(name);
      shares.set(name, share);
      const shared = await share;
      return shared === "all" || (shared === "summary" && rest.join("/").startsWith(shownFolder));
    };
  }

  /**
   * Returns the driver as the agent of a lane, or one without, may read it: what other lanes do not share is not there, for no verb.
   * Writes and deletions go to the driver.
   */
  view(own: string | undefined): FileDriver {
    const [driver, root] = [this.#driver, this.#root];
    const mayRead = this.reader(own);
    const inThread = (path: string) => normalizePath(path).slice(root.length);
    const isThere = async (path: string) => mayRead(inThread(path));
    return {
      name: driver.name,
      async stat(path) {
        if (!isInLanes(inThread(path))) return driver.stat(path);
        return (await isThere(path)) ? driver.stat(path) : undefined;
      },
      async read(path, range) {
        if (!isInLanes(inThread(path))) return driver.read(path, range);
        return (await isThere(path)) ? driver.read(path, range) : undefined;
      },
      write: async (path, bytes, options) => driver.write(path, bytes, options),
      async *list(prefix) {
        for await (const entry of driver.list(prefix)) {
          const path = entry.path.slice(root.length);
          if (!isInLanes(path) || (await mayRead(path))) yield entry;
        }
      },
      async *listPaths(prefix) {
        for await (const paths of pathsOf(driver, prefix)) {
          // Hot path: most pages of most threads hold no file of a lane.
          if (!paths.some((path) => isInLanes(path.slice(root.length)))) {
            yield paths;
            continue;
          }
          const there = await Promise.all(paths.map(isThere));
          yield paths.filter((_, at) => there[at]);
        }
      },
      delete: async (path, options) => driver.delete(path, options),
    };
  }

  #recordPath(name: string): string {
    if (isLaneName(name)) return `${this.#root}${records}/${name}.json`;
    throw new FileError(
      "invalid-path",
      `${showValue(name)} is not the name of a lane: use 1 to 40 letters, digits, _ and -.`,
    );
  }
}
