import { hash } from "node:crypto";
import { readdir, readFile, unlink } from "node:fs/promises";
import { writeAtomically } from "./atomic-files.js";
import { ignoreAbsent, type DirectoryRoot } from "./directory-root.js";
import type { DriverFile } from "./file-driver.js";
import { placeFiles, syncFiles } from "./many-files.js";
import { isReservedName, journalName } from "./reserved-names.js";

const home = `/${journalName}`;

/** Maximum bytes of one journal. It is built in memory, and a larger file is not worth writing twice. */
const maxBytes = 8 * 1024 * 1024;

/**
 * Makes many files durable at the cost of one. Writes all of them into one file, the journal, and syncs it; writes each file to
 * its path, unsynced; syncs the files in the background, and deletes the journal then. After a power failure, the journal still
 * holds the files that did not reach their paths.
 *
 * A path has one content only, so a journal can be repeated at any time, by any process that finds it. Its name is the digest
 * of its bytes.
 */
export class WriteAheadJournal {
  readonly #root: DirectoryRoot;
  /** Names of journals that this process is working on. */
  readonly #own = new Set<string>();
  #settled: Promise<void> = Promise.resolve();
  #opened: Promise<void> | undefined;

  constructor(root: DirectoryRoot) {
    this.#root = root;
  }

  /** Resolves when every file is at its path and survives a power failure. A file that exists stays. */
  async writeAll(files: readonly DriverFile[]): Promise<void> {
    for (const part of partsOf(files)) {
      const [{ path, bytes } = { path: "/", bytes: new Uint8Array() }] = part;
      if (part.length === 1) await writeAtomically(this.#root, path, { bytes, ifAbsent: true });
      else await this.#writePart(part);
    }
  }

  async #writePart(files: readonly DriverFile[]): Promise<void> {
    const bytes = encode(files);
    const name = hash("sha256", bytes);
    await writeAtomically(this.#root, `${home}/${name}`, { bytes, ifAbsent: false });
    this.#own.add(name);
    try {
      await placeFiles(this.#root, files, { replaces: false });
    } finally {
      const paths = files.map(({ path }) => path);
      this.#settled = this.#settled.then(async () => this.#end(name, paths).catch(leaveIt));
    }
  }

  async #end(name: string, paths: readonly string[]): Promise<void> {
    try {
      await syncFiles(this.#root, paths);
      const directory = await this.#root.enter(home);
      if (!directory) return;
      await unlink(directory.at(name))
        .catch(ignoreAbsent)
        .finally(() => directory.close());
    } finally {
      this.#own.delete(name);
    }
  }

  /** Repeats, once for this instance, the journals that a power failure or a killed process has left. */
  async open(): Promise<void> {
    this.#opened ??= this.#repeat().catch(leaveIt);
    return this.#opened;
  }

  /** Resolves when there is no journal. Call it before a file is deleted or replaced, because a journal would undo that. */
  async settle(): Promise<void> {
    await this.#settled;
    await this.#repeat().catch(leaveIt);
  }

  async #repeat(): Promise<void> {
    const directory = await this.#root.enter(home);
    if (!directory) return;
    try {
      for (const name of (await readdir(directory.at(".")).catch(ignoreAbsent)) ?? []) {
        if (this.#own.has(name) || isReservedName(name)) continue;
        const bytes = await readFile(directory.at(name)).catch(ignoreAbsent);
        if (bytes && hash("sha256", bytes) === name)
          await this.#repeatOne(name, decode(bytes)).catch(leaveIt);
      }
    } finally {
      directory.close();
    }
  }

  async #repeatOne(name: string, files: readonly DriverFile[]): Promise<void> {
    await placeFiles(this.#root, files, { replaces: true });
    await this.#end(
      name,
      files.map(({ path }) => path),
    );
  }
}

/** A journal that cannot be completed now, as on a full disk, waits for the next process. */
function leaveIt(): void {}

/** Divides the files into parts of at most `maxBytes`. A larger file is a part of its own. Pure. */
function* partsOf(files: readonly DriverFile[]): Generator<readonly DriverFile[]> {
  let [part, size]: [DriverFile[], number] = [[], 0];
  for (const file of files) {
    if (part.length > 0 && size + file.bytes.length > maxBytes) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(file);
    size += file.bytes.length;
  }
  if (part.length > 0) yield part;
}

/** Returns one line with the paths and sizes, and the bytes of all files after it. Pure. */
function encode(files: readonly DriverFile[]): Uint8Array {
  const header = JSON.stringify(files.map(({ path, bytes }) => [path, bytes.length]));
  return Buffer.concat([Buffer.from(`${header}\n`), ...files.map(({ bytes }) => bytes)]);
}

/** Returns the files of a journal. Pure. */
function decode(bytes: Buffer): readonly DriverFile[] {
  let at = bytes.indexOf("\n") + 1;
  const header = JSON.parse(bytes.toString("utf8", 0, at)) as [string, number][];
  return header.map(([path, size]) => ({ path, bytes: bytes.subarray(at, (at += size)) }));
}
