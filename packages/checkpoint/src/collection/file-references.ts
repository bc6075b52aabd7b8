import { encodeScope } from "@palimpsest/vfs";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { inBatches } from "../engines/wrapped/in-batches.js";

/** That a thread refers to a content of a workspace file. */
export interface FileHold {
  readonly digest: string;
  /** ISO 8601 time of the last commit that said so. */
  readonly heldAt: string;
}

const empty = new Uint8Array();

/**
 * Which threads refer to which contents of workspace files: an empty file for each, beside the contents. A thread holds a
 * content before the first checkpoint with it is committed. A content that nobody holds goes once it is older than the
 * grace: a writer that has just stored it, or found it there and stored it again, has that long to commit.
 */
export class FileHolds {
  readonly #files: VirtualFilesystem;
  readonly #grace: number;

  /** `grace` in milliseconds. */
  constructor(files: VirtualFilesystem, grace: number) {
    this.#files = files;
    this.#grace = grace;
  }

  /** Says that a thread refers to these contents. Saying it again renews it. */
  async add(threadId: string, digests: Iterable<string>): Promise<void> {
    await inBatches([...digests], async (digest) => {
      // The one by thread is never the older of the two: `release` compares the other with its time.
      await this.#driver.write(byFile(digest, threadId), empty);
      await this.#driver.write(byThread(threadId, digest), empty);
    });
  }

  async of(threadId: string): Promise<FileHold[]> {
    const holds: FileHold[] = [];
    for await (const { path, modifiedAt } of this.#driver.list(byThread(threadId))) {
      holds.push({ digest: nameOf(path), heldAt: modifiedAt });
    }
    return holds;
  }

  /** Returns true for a hold that no commit under way relies on. */
  isSettled({ heldAt }: FileHold): boolean {
    return heldAt <= this.#settled();
  }

  /**
   * Ends holds that were not renewed since they were listed, and deletes the contents that nobody holds any more, the
   * ones that were too young at an earlier time too. Returns how many contents were deleted. Safe to repeat.
   */
  async release(threadId: string, holds: readonly FileHold[]): Promise<number> {
    let deleted = 0;
    await inBatches(holds, async ({ digest, heldAt }) => {
      const path = byFile(digest, threadId);
      const ended = await this.#driver.delete(path, { ifWrittenBy: heldAt });
      if (!ended && (await this.#driver.stat(path))) return;
      if (!(await this.#isHeld(digest)) && (await this.#collect(digest))) deleted += 1;
      await this.#driver.delete(byThread(threadId, digest), { ifWrittenBy: heldAt });
    });
    return deleted + (await this.#collectWaiting());
  }

  async #collectWaiting(): Promise<number> {
    const waiting: string[] = [];
    for await (const { path } of this.#driver.list(waitingRoot)) waiting.push(path);
    let deleted = 0;
    await inBatches(waiting, async (path) => {
      const isHeld = await this.#isHeld(nameOf(path));
      if (!isHeld && (await this.#collect(nameOf(path)))) deleted += 1;
      else if (!isHeld && (await this.#files.blobs.has(nameOf(path)))) return;
      await this.#driver.delete(path);
    });
    return deleted;
  }

  /** True when the content was there and is gone. One that is too young is noted for the next time. */
  async #collect(digest: string): Promise<boolean> {
    if (await this.#files.blobs.delete(digest, { ifWrittenBy: this.#settled() })) return true;
    if (await this.#files.blobs.has(digest)) await this.#driver.write(`${waitingRoot}/${digest}`, empty);
    return false;
  }

  async #isHeld(digest: string): Promise<boolean> {
    for await (const { path } of this.#driver.list(byFile(digest))) return path !== "";
    return false;
  }

  #settled(): string {
    return new Date(Date.now() - this.#grace).toISOString();
  }

  get #driver(): VirtualFilesystem["driver"] {
    return this.#files.driver;
  }
}

const waitingRoot = "/holds/waiting";

function byThread(threadId: string, digest?: string): string {
  const directory = `/holds/threads/${encodeScope(threadId)}`;
  return digest === undefined ? directory : `${directory}/${digest}`;
}

function byFile(digest: string, threadId?: string): string {
  const directory = `/holds/files/${digest}`;
  return threadId === undefined ? directory : `${directory}/${encodeScope(threadId)}`;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
