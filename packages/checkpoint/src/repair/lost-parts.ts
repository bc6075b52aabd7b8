import { hash } from "node:crypto";
import { pack } from "../codec/packing/pack.js";
import type { RepairTarget } from "./repair-target.js";

/** A restored part. */
export interface RestoredPart {
  readonly threadId: string;
  /** The value, archive file, content of a workspace file, row of a checkpoint or its writes, or key. */
  readonly what: string;
  /** Where its bytes were found. */
  readonly from: string;
}

/** A file that is damaged or missing. */
export interface LostFile {
  readonly threadId: string;
  readonly what: string;
  /** In the driver. */
  readonly path: string;
  /** The first 16 hex digits of its SHA-256, or all of them; "" if unknown. */
  readonly digest: string;
}

interface Found {
  readonly bytes: Uint8Array;
  readonly from: string;
}

/** The digest in the name of an archive file, and the longest prefix by which lost files are looked up. */
const prefixLength = 16;
/** A stored value has the first 128 bits of a SHA-256, in hex digits. */
const valueLength = 32;

/** The damaged and missing parts of a storage. Restores a part when it is offered bytes with its digest. */
export class LostParts {
  readonly #restored = new Map<string, RestoredPart>();
  readonly #target: RepairTarget;
  readonly #values = new Map<string, Set<string>>();
  readonly #files = new Map<string, Map<string, LostFile>>();
  readonly #rows = new Map<string, Set<string>>();
  readonly #found = new Map<string, Found>();

  constructor(target: RepairTarget) {
    this.#target = target;
  }

  get restored(): readonly RestoredPart[] {
    return [...this.#restored.values()];
  }

  /** Notes a restored part, once: where a page of the file is damaged, a part may be lost again as soon as it is written. */
  note(part: RestoredPart): void {
    const key = JSON.stringify([part.threadId, part.what]);
    if (!this.#restored.has(key)) this.#restored.set(key, part);
  }

  get isEmpty(): boolean {
    return this.#values.size + this.#files.size === 0;
  }

  get files(): readonly LostFile[] {
    return [...this.#files.values()].flatMap((files) => [...files.values()]);
  }

  /** Returns the digests of the lost values that a thread needs. */
  valuesOf(threadId: string): readonly string[] {
    return [...this.#values].filter(([, threads]) => threads.has(threadId)).map(([digest]) => digest);
  }

  hasValue(digest: string): boolean {
    return this.#values.has(digest);
  }

  addValue(digest: string, threadId: string): void {
    const threads = this.#values.get(digest) ?? new Set();
    this.#values.set(digest, threads.add(threadId));
  }

  addFile(file: LostFile): void {
    const prefix = file.digest.slice(0, prefixLength);
    const files = this.#files.get(prefix) ?? new Map<string, LostFile>();
    this.#files.set(prefix, files.set(file.path, file));
  }

  addRow(threadId: string, id: string): void {
    const ids = this.#rows.get(threadId) ?? new Set();
    this.#rows.set(threadId, ids.add(id));
  }

  /** Returns the ids of the checkpoints of a thread whose row, or a row of whose writes, is damaged. */
  rowsOf(threadId: string): ReadonlySet<string> {
    return this.#rows.get(threadId) ?? new Set();
  }

  /** Keeps the bytes if a part with their digest is lost. */
  offer(content: Uint8Array | string, from: string): void {
    const sha = hash("sha256", content);
    const isWanted = this.#values.has(valueDigest(sha)) || this.#files.has(sha.slice(0, prefixLength));
    if (isWanted && !this.#found.has(sha)) this.#found.set(sha, { bytes: Buffer.from(content), from });
  }

  /** Writes the parts that were found. */
  async restore(): Promise<void> {
    for (const [sha, found] of this.#found) {
      await this.#restoreValue(valueDigest(sha), found);
      for (const file of this.#files.get(sha.slice(0, prefixLength))?.values() ?? [])
        if (sha.startsWith(file.digest)) await this.restoreFile(file, found);
    }
    this.#found.clear();
  }

  async #restoreValue(digest: string, { bytes, from }: Found): Promise<void> {
    const threads = this.#values.get(digest);
    if (!threads) return;
    await this.#target.restoreValue(threads, digest, pack(bytes));
    this.#values.delete(digest);
    for (const threadId of threads) this.note({ threadId, what: `value ${digest}`, from });
  }

  async restoreFile({ threadId, what, path, digest }: LostFile, { bytes, from }: Found): Promise<void> {
    await this.#target.deleteFile(path);
    await this.#target.driver.write(path, bytes);
    const prefix = digest.slice(0, prefixLength);
    this.#files.get(prefix)?.delete(path);
    if (this.#files.get(prefix)?.size === 0) this.#files.delete(prefix);
    this.note({ threadId, what, from });
  }
}

/** Returns the digest of a stored value from the hex digits of its SHA-256. Pure. */
function valueDigest(sha: string): string {
  return Buffer.from(sha.slice(0, valueLength), "hex").toString("base64url");
}
