import { encodeScope } from "@palimpsest/vfs/internal";
import type { DriverDeleteOptions, VirtualFilesystem } from "@palimpsest/vfs";
import type { LeftByThreads, ThreadPlaces } from "../engine.js";
import pLimit from "p-limit";
import { storageTime } from "./storage-clock.js";

/** A thread's reference to the content of a workspace file. */
export interface FileReference {
  readonly digest: string;
  /** ISO 8601 time of the last commit that wrote the reference. */
  readonly writtenAt: string;
}

/** Returns the option with which only contents are deleted that are old enough. */
type AskAge = () => Promise<DriverDeleteOptions>;

const empty = new Uint8Array();
const concurrency = 16;

/**
 * Which threads reference which contents of workspace files: one empty file for each pair, beside the contents. A thread
 * writes its reference before it commits the first checkpoint that needs the content. A content without references is deleted
 * once it is older than the grace, so a writer that has just stored or renewed it has that long to commit.
 */
export class FileReferences {
  readonly #files: VirtualFilesystem;
  readonly #grace: number | undefined;

  /** `grace` in milliseconds; without one, contents are deleted whatever their age and whatever the clock. */
  constructor(files: VirtualFilesystem, grace?: number) {
    this.#files = files;
    this.#grace = grace;
  }

  /** Records that a thread references these contents. Recording a reference again renews it. */
  async add(threadId: string, digests: Iterable<string>): Promise<void> {
    await pLimit(concurrency).map(digests, async (digest) => {
      // In this order the file by thread is never the older one: `release` compares the other file with its time.
      await this.#driver.write(byFile(digest, threadId), empty);
      await this.#driver.write(byThread(threadId, digest), empty);
    });
  }

  /** Records that `to` references what `from` does. */
  async copy(from: string, to: string): Promise<void> {
    const references = await this.of(from);
    await this.add(
      to,
      references.map(({ digest }) => digest),
    );
  }

  /** Returns true if a copy of the thread was begun and did not end. */
  async isCopying(from: string, to: string): Promise<boolean> {
    const begun = await this.#driver.read(copyOf(to));
    return begun !== undefined && Buffer.from(begun).toString() === from;
  }

  /** Records that a thread is being copied. */
  async beginCopy(from: string, to: string): Promise<void> {
    await this.#driver.write(copyOf(to), Buffer.from(from));
  }

  /** Call it when a copy is complete, or when the thread is deleted. */
  async endCopy(to: string): Promise<void> {
    await this.#driver.delete(copyOf(to));
  }

  async of(threadId: string): Promise<FileReference[]> {
    const references: FileReference[] = [];
    for await (const { path, modifiedAt } of this.#driver.list(byThread(threadId))) {
      references.push({ digest: nameOf(path), writtenAt: modifiedAt });
    }
    return references;
  }

  /** Returns the references of a thread that are older than the grace: no commit in progress relies on them. */
  async settledOf(threadId: string): Promise<FileReference[]> {
    const references = await this.of(threadId);
    if (references.length === 0 || this.#grace === undefined) return references;
    const settledUntil = await this.#settledUntil(this.#grace);
    return references.filter(({ writtenAt }) => writtenAt <= settledUntil);
  }

  /**
   * Deletes the references that were not renewed since they were listed, and every content without a reference, including
   * contents that an earlier call left because they were too young. Returns how many contents were deleted. Safe to repeat.
   */
  async release(threadId: string, references: readonly FileReference[]): Promise<number> {
    const age = this.#agedOnly();
    const deleted = await this.#release(threadId, references, age);
    return deleted + (await this.#collectPostponed(age));
  }

  /** As `release` does, for threads that were deleted with a `WholeDeletion`. */
  async releaseLeft(threadIds: readonly string[], left: LeftByThreads): Promise<void> {
    const byDirectory = new Map<string, FileReference[]>();
    for (const { path, modifiedAt } of left.references) {
      const directory = path.slice(0, path.lastIndexOf("/"));
      const reference = { digest: nameOf(path), writtenAt: modifiedAt };
      byDirectory.set(directory, [...(byDirectory.get(directory) ?? []), reference]);
    }
    const age = this.#agedOnly();
    for (const threadId of threadIds)
      await this.#release(threadId, byDirectory.get(byThread(threadId)) ?? [], age);
    if (left.areWaiting || byDirectory.size > 0) await this.#collectPostponed(age);
  }

  async #release(threadId: string, references: readonly FileReference[], age: AskAge): Promise<number> {
    let deleted = 0;
    await pLimit(concurrency).map(references, async ({ digest, writtenAt }) => {
      const path = byFile(digest, threadId);
      const isDeleted = await this.#driver.delete(path, { ifWrittenBy: writtenAt });
      if (!isDeleted && (await this.#driver.stat(path))) return;
      if (!(await this.#isReferenced(digest)) && (await this.#collect(digest, age))) deleted += 1;
      await this.#driver.delete(byThread(threadId, digest), { ifWrittenBy: writtenAt });
    });
    return deleted;
  }

  async #collectPostponed(age: AskAge): Promise<number> {
    const postponed: string[] = [];
    for await (const { path } of this.#driver.list(postponedRoot)) postponed.push(path);
    let deleted = 0;
    await pLimit(concurrency).map(postponed, async (path) => {
      const isReferenced = await this.#isReferenced(nameOf(path));
      if (!isReferenced && (await this.#collect(nameOf(path), age))) deleted += 1;
      else if (!isReferenced && (await this.#files.blobs.has(nameOf(path)))) return;
      await this.#driver.delete(path);
    });
    return deleted;
  }

  /** Returns true when it deleted the content. Postpones a content that is too young to the next call. */
  async #collect(digest: string, age: AskAge): Promise<boolean> {
    if (await this.#files.blobs.delete(digest, await age())) return true;
    if (await this.#files.blobs.has(digest)) await this.#driver.write(`${postponedRoot}/${digest}`, empty);
    return false;
  }

  async #isReferenced(digest: string): Promise<boolean> {
    for await (const { path } of this.#driver.list(byFile(digest))) return path !== "";
    return false;
  }

  /** Returns a function that asks the storage for its time once. */
  #agedOnly(): AskAge {
    const grace = this.#grace;
    if (grace === undefined) return async () => ({});
    let asked: Promise<string> | undefined;
    return async () => ({ ifWrittenBy: await (asked ??= this.#settledUntil(grace)) });
  }

  async #settledUntil(grace: number): Promise<string> {
    return new Date((await storageTime(this.#driver)) - grace).toISOString();
  }

  get #driver(): VirtualFilesystem["driver"] {
    return this.#files.driver;
  }
}

const root = "/holds";
/** Contents that were too young when their last reference went. */
export const postponedRoot = `${root}/waiting`;

/** Returns where the references of a thread are, and the mark of its copy. Pure. */
export function referencePlaces(threadId: string): Pick<ThreadPlaces, "references" | "copy"> {
  return { references: byThread(threadId), copy: copyOf(threadId) };
}

function byThread(threadId: string, digest?: string): string {
  const directory = `${root}/threads/${encodeScope(threadId)}`;
  return digest === undefined ? directory : `${directory}/${digest}`;
}

function byFile(digest: string, threadId?: string): string {
  const directory = `${root}/files/${digest}`;
  return threadId === undefined ? directory : `${directory}/${encodeScope(threadId)}`;
}

/** The file that names the source of a copy while it is not complete. */
function copyOf(to: string): string {
  return `${root}/copies/${encodeScope(to)}`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
