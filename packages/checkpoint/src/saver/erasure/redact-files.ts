import { hash } from "node:crypto";
import { isUtf8 } from "node:buffer";
import type { FileDriver } from "@palimpsest/vfs";
import { archivePrefix, digestInName } from "@palimpsest/vfs/internal";
import { archivePath, type Redaction, type Tally } from "./redaction.js";

/** A file of a thread's directory that changes. */
export interface RedactedFile {
  /** Path below the directory of the thread. */
  readonly path: string;
  /** Another one where the name is the digest of the content, or holds what is erased itself. */
  readonly newPath: string;
  readonly bytes: Uint8Array;
}

/** How a file changes. Its content is worked out again when it is needed: an archive may be larger than the memory. */
interface Planned {
  readonly path: string;
  readonly newPath: string;
  /** New paths of the files that it names. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** What is known of a file without its content. */
interface Scanned {
  readonly isHit: boolean;
  /** Paths of other files of the thread that it names. */
  readonly names: readonly string[];
}

export interface RedactFilesOptions {
  readonly driver: FileDriver;
  /** The directory of the thread. */
  readonly root: string;
  /** Content of archive files that state holds, by path: the archive could not be written. */
  readonly held: ReadonlyMap<string, string>;
  readonly redaction: Redaction;
  /** Counts what is erased. */
  readonly tally?: Tally;
  /** Returns a file of stored messages without what is erased. */
  readonly record: (text: string, redaction: Redaction) => string;
}

const keys = "/keys/";

/**
 * Works out how the files of a thread change, and writes nothing. The name of a file that a fold restores is the digest of its content:
 * such a file gets a new name, and so does every file that names it. A record is named by later ones only, so there is an order.
 */
export class RedactedFiles {
  readonly #options: RedactFilesOptions;
  readonly #scanned = new Map<string, Scanned>();
  readonly #planned = new Map<string, Planned | undefined>();
  /** Originals that state holds, by their path before. */
  readonly #held = new Map<string, { readonly path: string; readonly content: string }>();

  private constructor(options: RedactFilesOptions) {
    this.#options = options;
  }

  static async plan(options: RedactFilesOptions): Promise<RedactedFiles> {
    const files = new RedactedFiles(options);
    await files.#scan();
    for (const path of files.#scanned.keys()) await files.#plan(path);
    return files;
  }

  /** How many files change. */
  get count(): number {
    return this.#changed.length;
  }

  /** New paths by old ones. */
  get renamed(): ReadonlyMap<string, string> {
    return new Map(
      this.#changed.filter((file) => file.newPath !== file.path).map(({ path, newPath }) => [path, newPath]),
    );
  }

  /** Returns how an original that state holds changes; undefined if it does not. */
  readonly held = (path: string): { readonly path: string; readonly content: string } | undefined =>
    this.#held.get(path);

  get #changed(): readonly Planned[] {
    return [...this.#planned.values()].filter((file) => file !== undefined);
  }

  /** Writes the changed files. What their old names held stays until `deleteOld`. */
  async store(write: (file: RedactedFile) => Promise<unknown>): Promise<void> {
    for (const { path, newPath, renamed } of this.#changed)
      await write({ path, newPath, bytes: await this.#redacted(path, renamed) });
  }

  /** Deletes the files that have got another name. */
  async deleteOld(): Promise<void> {
    for (const path of this.renamed.keys()) await this.#options.driver.delete(this.#options.root + path);
  }

  async #scan(): Promise<void> {
    const paths = new Set(this.#options.held.keys());
    const { driver, root } = this.#options;
    for await (const { path } of driver.list(root)) {
      const own = path.slice(root.length);
      if (!own.startsWith(keys)) paths.add(own);
    }
    const { redaction, tally } = this.#options;
    const counting = tally === undefined ? redaction : redaction.with({ tally });
    for (const path of paths) {
      const bytes = await this.#read(path);
      const text = bytes === undefined || !isUtf8(bytes) ? "" : Buffer.from(bytes).toString();
      const named = new Set(text.match(archivePath) ?? []);
      const names = [...named].filter((other) => other !== path && paths.has(other));
      const isHit = bytes !== undefined && counting.bytes(bytes) !== bytes;
      this.#scanned.set(path, { isHit: isHit || redaction.text(path) !== path, names });
    }
  }

  async #read(path: string): Promise<Uint8Array | undefined> {
    const held = this.#options.held.get(path);
    return held === undefined ? this.#options.driver.read(this.#options.root + path) : Buffer.from(held);
  }

  async #plan(path: string): Promise<Planned | undefined> {
    if (this.#planned.has(path)) return this.#planned.get(path);
    // A file that leads back to itself keeps its name.
    this.#planned.set(path, undefined);
    const { isHit = false, names = [] } = this.#scanned.get(path) ?? {};
    const renamed = await this.#renamedOf([...names, recordOf(path)]);
    if (!isHit && renamed.size === 0) return undefined;
    const bytes = await this.#redacted(path, renamed);
    const file = { path, newPath: this.#newPath(path, bytes, renamed), renamed };
    this.#planned.set(path, file);
    if (this.#options.held.has(path))
      this.#held.set(path, { path: file.newPath, content: Buffer.from(bytes).toString() });
    return file;
  }

  /** Returns the new paths of those files that get one. */
  async #renamedOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const renamed = new Map<string, string>();
    for (const path of paths) {
      const file = this.#scanned.has(path) ? await this.#plan(path) : undefined;
      if (file !== undefined && file.newPath !== path) renamed.set(path, file.newPath);
    }
    return renamed;
  }

  async #redacted(path: string, renamed: ReadonlyMap<string, string>): Promise<Uint8Array> {
    const bytes = (await this.#read(path)) ?? new Uint8Array();
    const redaction = this.#options.redaction.with({ renamed });
    const isRecord = path.startsWith(archivePrefix) && path.endsWith(".jsonl") && isUtf8(bytes);
    return isRecord
      ? Buffer.from(this.#options.record(Buffer.from(bytes).toString(), redaction))
      : redaction.bytes(bytes);
  }

  #newPath(path: string, bytes: Uint8Array, renamed: ReadonlyMap<string, string>): string {
    const newRecord = renamed.get(recordOf(path));
    if (newRecord !== undefined) return newRecord.replace(/\.jsonl$/, ".md");
    const { redaction } = this.#options;
    const newDigest = hash("sha256", bytes);
    // Two names may become one, but then their contents are one too.
    const clean = redaction.text(path).replaceAll(redaction.tombstone, `erased-${newDigest.slice(0, 8)}`);
    const digest = digestInName(path);
    return digest === undefined ? clean : clean.replace(digest, newDigest.slice(0, digest.length));
  }
}

/** Returns the path of the record that a readable file of folded messages has its name from. */
function recordOf(path: string): string {
  return path.endsWith(".md") ? path.replace(/\.md$/, ".jsonl") : "";
}
