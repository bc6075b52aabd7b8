import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { isCertificate, unescaped } from "@palimpsest/context/internal";
import type { VfsSaver } from "@palimpsest/checkpoint";
import {
  damageOf,
  findFolds,
  InspectorError,
  readState,
  unfoldState,
  type FoundFold,
} from "@palimpsest/inspector";
import { RecallIndex, type Hit } from "@palimpsest/recall";
import { splitPassages } from "@palimpsest/recall/internal";
import { terminalText } from "../terminal-text.js";
import { bestLineFirst } from "./best-line.js";
import { bestThreadFirst } from "./best-thread.js";
import { dateOf } from "./date-of.js";
import { WordFamilies } from "./word-families.js";

/** A thread with every fold opened. */
export interface OpenThread {
  readonly thread: string;
  /** The newest checkpoint that was read. */
  readonly checkpoint: string;
  readonly messages: readonly BaseMessage[];
  /** Ids of the messages that the model is still sent word for word. */
  readonly inContext: ReadonlySet<string | undefined>;
}

/** Which threads may be read: one, or all whose id begins with a prefix. */
export interface Scope {
  readonly thread?: string | undefined;
  readonly prefix?: string | undefined;
}

/** A found passage, and where it is. */
export interface FoundPassage {
  readonly thread: string;
  /** Position in the thread, counted from 1. */
  readonly message: number;
  readonly text: string;
  readonly isInContext: boolean;
  readonly type: string;
  /** The day of the message, such as `8 May 2023`; empty if it is not known. */
  readonly date: string;
}

/** What a search has found, and the threads that it could not read. */
export interface FoundPassages {
  readonly passages: readonly FoundPassage[];
  readonly unread: readonly string[];
}

/** What is in the index of a thread. */
interface Indexed {
  readonly checkpoint: string;
  readonly ids: readonly (string | undefined)[];
}

/** Hits that are looked at to find the best lines and the best thread. */
const hitsLookedAt = 50;

/** Most threads that are kept open. */
const mostOpen = 8;

/** The threads of a storage, read when they are asked for, and again when they have grown. Changes nothing. */
export class History {
  readonly #saver: VfsSaver;
  readonly #scope: Scope;
  readonly #index = RecallIndex.inMemory();
  readonly #families = new WordFamilies();
  readonly #open = new Map<string, OpenThread>();
  readonly #indexed = new Map<string, Indexed>();

  constructor(saver: VfsSaver, scope: Scope) {
    this.#saver = saver;
    this.#scope = scope;
  }

  async close(): Promise<void> {
    await this.#index.close();
  }

  /** Returns the ids of the threads in scope. */
  async threads(): Promise<readonly string[]> {
    const { thread, prefix = "" } = this.#scope;
    if (thread !== undefined) return [thread];
    return (await this.#saver.threads()).filter((id) => id.startsWith(prefix)).toSorted();
  }

  /** Returns a thread. Throws an InspectorError for one that is missing or out of scope, which are told apart by nobody. */
  async thread(named: string | undefined): Promise<OpenThread> {
    const threads = await this.threads();
    const thread = named ?? (threads.length === 1 ? threads[0] : undefined);
    if (thread === undefined)
      throw new InspectorError(
        `There are ${threads.length} threads. Pass the id of one as thread: ${threads
          .slice(0, 10)
          .map((id) => JSON.stringify(terminalText(id)))
          .join(", ")}${threads.length > 10 ? ", …" : ""}. search_history searches all of them.`,
      );
    if (!threads.includes(thread))
      throw new InspectorError(
        `There is no thread ${JSON.stringify(terminalText(thread))}. search_history names the threads of its hits.`,
      );
    const checkpoint = await this.#newest(thread);
    const known = this.#open.get(thread);
    if (known !== undefined && known.checkpoint === checkpoint) return known;
    const state = await readState(this.#saver, thread);
    // A damaged original stays closed: the others can still be read.
    const messages = await unfoldState(this.#saver, state, () => {});
    const inContext = new Set(state.context.map(({ id }) => id));
    const opened = { thread, checkpoint: state.id, messages, inContext };
    this.#open.delete(thread);
    this.#open.set(thread, opened);
    for (const [oldest] of this.#open) if (this.#open.size > mostOpen) this.#open.delete(oldest);
    return opened;
  }

  /** Returns the folds of a thread, nested ones included, outermost first. */
  async folds(named: string | undefined): Promise<readonly FoundFold[]> {
    const { thread } = await this.thread(named);
    const state = await readState(this.#saver, thread);
    const archive = this.#saver.files.archive(thread);
    return findFolds(state.context, async (path) => archive.readText(path));
  }

  /** Returns the text of an archive file of a thread. */
  async file(named: string | undefined, path: string): Promise<string> {
    const { thread } = await this.thread(named);
    return this.#saver.files.archive(thread).readText(path);
  }

  /** Returns the certificates of a thread, newest first. */
  async certificates(named: string | undefined): Promise<readonly string[]> {
    const { thread } = await this.thread(named);
    const archive = this.#saver.files.archive(thread);
    const paths: string[] = [];
    for await (const { path } of archive.list()) if (isCertificate(path)) paths.push(path);
    return Promise.all(
      paths.toSorted((a, b) => (nameOf(a) < nameOf(b) ? 1 : -1)).map(async (path) => archive.readText(path)),
    );
  }

  /** Returns the passages that match best, best first, of one thread or of all in scope. */
  async search(
    query: string,
    { thread, limit }: { readonly thread?: string | undefined; readonly limit: number },
  ): Promise<FoundPassages> {
    if (thread !== undefined) await this.#fill((await this.thread(thread)).thread);
    const unread = thread === undefined ? await this.#fillAll() : [];
    const path = thread === undefined ? {} : { path: pathOf(thread) };
    const wide = this.#families.widened(query);
    const found = await this.#index.search(wide, {
      thread: "scope",
      limit: Math.max(limit, hitsLookedAt),
      ...path,
    });
    const hits = bestThreadFirst(bestLineFirst(found, query), query, (hit) => hit.path).slice(0, limit);
    return { passages: await Promise.all(hits.map(async (hit) => this.#found(hit))), unread };
  }

  async #found({ path, line, text }: Hit): Promise<FoundPassage> {
    const thread = decodeURIComponent(path.slice(1, -1));
    const { messages, inContext } = await this.thread(thread);
    const message = messages[line - 1];
    return {
      thread,
      message: line,
      text: text.slice(0, text.lastIndexOf("\n")),
      isInContext: inContext.has(message?.id),
      type: message?.getType() ?? "unknown",
      date: dateOf(message),
    };
  }

  /** Indexes every thread in scope. Goes on past those that cannot be read, and returns them. */
  async #fillAll(): Promise<readonly string[]> {
    const threads = await this.threads();
    const unread: string[] = [];
    const isLeft = new Set(threads);
    for (const known of this.#indexed.keys()) if (!isLeft.has(known)) return this.#fillAgain();
    for (const thread of threads) {
      try {
        await this.#fill(thread);
      } catch (error) {
        if (damageOf(error) !== undefined) unread.push(thread);
        // A listed thread may have no checkpoint yet, or may be deleted since.
        else if (!(error instanceof InspectorError)) throw error;
        if (this.#indexed.has(thread)) return this.#fillAgain();
      }
    }
    return unread;
  }

  /** The index deletes all or nothing of a scope. */
  async #fillAgain(): Promise<readonly string[]> {
    await this.#index.removeThread("scope");
    this.#indexed.clear();
    this.#families.clear();
    return this.#fillAll();
  }

  /** Indexes a thread as one file with a message as its line: the answer to a question is often next to its words. */
  async #fill(thread: string): Promise<void> {
    const newest = await this.#newest(thread);
    const known = this.#indexed.get(thread);
    if (known?.checkpoint === newest) return;
    const { messages } = await this.thread(thread);
    const ids = messages.map(({ id }) => id);
    // A thread that has only grown keeps its passages.
    const isGrown = known !== undefined && known.ids.every((id, at) => id === ids[at]);
    const first = isGrown ? known.ids.length : 0;
    if (known !== undefined && !isGrown) return void (await this.#fillAgain());
    const passages = messages.slice(first).flatMap((message, at) =>
      splitPassages(shownText(message)).map(({ text }) => ({
        thread: "scope",
        path: pathOf(thread),
        line: first + at + 1,
        // The last line is the day: a question often names it.
        text: `${text}\n${dateOf(message)}`,
        kind: message.getType(),
      })),
    );
    for (const { text } of passages) this.#families.add(text);
    await this.#index.add(passages);
    this.#indexed.set(thread, { checkpoint: newest, ids });
  }

  async #newest(thread: string): Promise<string> {
    for await (const { id } of this.#saver.checkpoints(thread)) return id;
    throw new InspectorError(`The thread ${JSON.stringify(terminalText(thread))} has no checkpoint.`);
  }
}

function pathOf(thread: string): string {
  return `/${encodeURIComponent(thread)}/`;
}

/** Returns what a message says and calls. */
export function shownText(message: BaseMessage): string {
  const calls = toolCalls(message).map(({ name, args }) => `→ ${name} ${unescaped(JSON.stringify(args))}`);
  return [message.text, ...calls].filter((part) => part !== "").join("\n");
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/"));
}
