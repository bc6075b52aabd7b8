import { archiveKind, isDataUrl, isHistoryPath, isPrompt, isRecord } from "@palimpsest/context/internal";
import type { IndexedFile, RecallIndex } from "@palimpsest/recall";
import type { ThreadFiles, VirtualFilesystem } from "@palimpsest/vfs";
import { archivePrefix, type Appended } from "@palimpsest/vfs/internal";
import { setImmediate as nextTurn } from "node:timers/promises";
import { earlierFile, isMessageHeading, withoutRepeated, withoutSummaries } from "../archived-messages.js";
import { setNewest } from "../../set-newest.js";

/** Files and characters that are indexed in one batch. */
const batchFiles = 32;
const batchCharacters = 1_000_000;
/** Milliseconds that a file waits for others. */
const delay = 50;
/**
 * An archive is listed again after this multiple of the duration of its last listing, because other processes may write to it.
 */
const patience = 100;
/** Milliseconds that a search waits for such a listing, or for an index that an earlier search already waited for too long. */
const maxWaiting = 250;
/** Milliseconds that a search waits for an index that was never complete; then it answers from the files indexed so far. */
const maxFilling = 8_000;
/** Threads whose last listing is remembered. */
const maxThreads = 1_000;

interface Listed {
  readonly at: number;
  readonly took: number;
}

/** Progress of an index: files that it lacked and has indexed, and all files that it lacked. */
export interface Filling {
  readonly added: number;
  readonly of: number;
}

const feeds = new WeakMap<RecallIndex, WeakMap<VirtualFilesystem, ArchiveFeed>>();

/** Returns the feed of an index from the archives of a filesystem: one for each pair. */
export function feedOf(files: VirtualFilesystem, index: RecallIndex): ArchiveFeed {
  const own = feeds.get(index) ?? new WeakMap<VirtualFilesystem, ArchiveFeed>();
  feeds.set(index, own);
  const feed = own.get(files) ?? new ArchiveFeed(index, files);
  if (!own.has(files)) listen(files, feed);
  own.set(files, feed);
  return feed;
}

/** Holds the feed weakly, because the filesystem can outlive the tools and indexes of a request. */
function listen(files: VirtualFilesystem, feed: ArchiveFeed): void {
  const listening = new WeakRef(feed);
  const stop = files.onAppend((appended) => {
    const there = listening.deref();
    if (there === undefined) stop();
    else there.take(appended);
  });
}

/**
 * Indexes archived files: those of this process when they are appended, all others when the thread is searched. A file that
 * could not be indexed is found again by the next listing of the archive.
 */
class ArchiveFeed {
  readonly #index: RecallIndex;
  readonly #files: VirtualFilesystem;
  readonly #listed = new Map<string, Listed>();
  readonly #listing = new Map<string, Promise<number>>();
  readonly #filling = new Map<string, Filling>();
  /** Threads whose index is still being filled after a search has waited for it too long. */
  readonly #late = new Set<string>();
  #waiting: Appended[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(index: RecallIndex, files: VirtualFilesystem) {
    this.#index = index;
    this.#files = files;
  }

  /** Indexes an appended file soon, in a batch with others. Never throws. */
  take(appended: Appended): void {
    if (!isReadable(appended.path)) return;
    this.#waiting.push(appended);
    this.#characters += appended.content.length;
    if (this.#waiting.length >= batchFiles || this.#characters >= batchCharacters) void this.#flush();
    else this.#timer ??= setTimeout(() => void this.#flush(), delay).unref();
  }

  /**
   * Resolves to undefined if every known file of a thread's archive is in the index. Lists the archive only when that is due.
   * If the index was complete once, it waits for the listing only for a short time, because files appended since then were fed
   * to the index; otherwise it resolves as {@link fill} does.
   */
  async update(files: ThreadFiles): Promise<Filling | undefined> {
    await this.#flush();
    const { at, took } = this.#listed.get(files.threadId) ?? { at: -Infinity, took: 0 };
    // The index holds the directory itself once it is complete: an index that started empty does not have it.
    const wasWhole = (await this.#index.missing(files.threadId, [archivePrefix])).length === 0;
    if (!wasWhole) return this.fill(files);
    // The next search tries a failed listing again.
    if (performance.now() - at > patience * took && !this.#listing.has(files.threadId))
      await atMost(maxWaiting, this.list(files)).catch(() => undefined);
    return undefined;
  }

  /**
   * Lists the archive and fills the index from it. After 8 seconds it resolves to the progress and goes on in the background;
   * later searches wait for 250 ms until the index is filled.
   */
  async fill(files: ThreadFiles): Promise<Filling | undefined> {
    const { threadId } = files;
    await atMost(this.#late.has(threadId) ? maxWaiting : maxFilling, this.list(files));
    if (this.#listing.has(threadId)) this.#late.add(threadId);
    return this.#filling.get(threadId);
  }

  /** Returns how many files of the archive the index lacked. */
  list(files: ThreadFiles): Promise<number> {
    const known = this.#listing.get(files.threadId);
    if (known !== undefined) return known;
    const listing = this.#list(files).finally(() => {
      this.#listing.delete(files.threadId);
      this.#filling.delete(files.threadId);
      this.#late.delete(files.threadId);
    });
    this.#listing.set(files.threadId, listing);
    return listing;
  }

  async #list({ threadId: thread, archive }: ThreadFiles): Promise<number> {
    const start = performance.now();
    const missing: string[] = [];
    for await (const paths of archive.listPaths())
      missing.push(...(await this.#index.missing(thread, paths.filter(isReadable))));
    const took = performance.now() - start;
    // Sort by number, so that the last file is the newest.
    missing.sort(new Intl.Collator("en", { numeric: true }).compare);
    for (let from = 0; from < missing.length; from += batchFiles) {
      const paths = missing.slice(from, from + batchFiles);
      const read = async (path: string) =>
        fileOf({ threadId: thread, path, content: await archive.readBytes(path) }, archive);
      this.#filling.set(thread, { added: from, of: missing.length });
      await this.#index.addFiles(await Promise.all(paths.map(read)));
      await nextTurn();
    }
    await this.#index.addFile({ thread, path: archivePrefix, text: "" });
    setNewest(this.#listed, [thread, { at: performance.now(), took }], maxThreads);
    return missing.length;
  }

  /** Runs one at a time. The next search lists a failed file as missing and reports it. */
  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const files = this.#waiting;
    if (files.length === 0) return this.#writing;
    this.#waiting = [];
    this.#characters = 0;
    const failed = (): void => {
      for (const { threadId } of files) this.#listed.delete(threadId);
    };
    const add = async () => {
      const read = files.map(async (file) => fileOf(file, this.#files.archive(file.threadId)));
      await this.#index.addFiles(await Promise.all(read));
    };
    this.#writing = this.#writing.then(add).catch(failed);
    return this.#writing;
  }
}

/** Resolves with the work, or after some milliseconds. Then the work goes on and its error is ignored. */
async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A record repeats its readable file, one stored message a line; a data URL holds no words, a prompt none of the conversation. */
function isReadable(path: string): boolean {
  return !isRecord(path) && !isDataUrl(path) && !isPrompt(path);
}

async function fileOf(
  { threadId: thread, path, content }: Appended,
  archive: ThreadFiles["archive"],
): Promise<IndexedFile> {
  const text = typeof content === "string" ? content : new TextDecoder().decode(content);
  const file = { thread, path, kind: archiveKind(path) };
  if (!isHistoryPath(path)) return { ...file, text: withoutSummaries(text) };
  const earlier = earlierFile(text);
  // Where the earlier file cannot be read, its messages are indexed twice.
  const known = earlier === undefined ? "" : await archive.readText(earlier).catch(() => "");
  // A passage of two messages would show the words of one for the sake of the other.
  return { ...file, text: withoutRepeated(withoutSummaries(text), known), starts: isMessageHeading };
}
