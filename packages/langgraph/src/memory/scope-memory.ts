import type { BaseMessage } from "@langchain/core/messages";
import { ContextError } from "@palimpsest/context";
import { openFolds, replacesOthers, requireNotNegative } from "@palimpsest/context/internal";
import type { RecallIndex } from "@palimpsest/recall";
import type { Backend, VirtualFilesystem } from "@palimpsest/vfs";
import { withLock } from "@palimpsest/vfs/internal";
import type { SummaryModel } from "../options/context-options.js";
import { shownValue } from "../options/fields.js";
import { requireOptions } from "../options/require-options.js";
import type { NodeConfig } from "../run-config.js";
import { genuineMessages } from "../run/sealed-folds.js";
import type { MemoryHit, MemoryHits, ToolMemory } from "../tools/tool-memory.js";
import { chooseNotes, matchingNotes } from "./choose-notes.js";
import { NoteWriter } from "./note-writer.js";
import { byTime, notesText, type Note } from "./note.js";
import { scopeBackend } from "./scope-backend.js";
import { ScopeFiles, type Membership } from "./scope-files.js";
import { ScopeSearch, type ScopeSearchOptions } from "./scope-search.js";
import { shortTurnPath } from "./short-name.js";
import { turnsOf, turnSuffix, turnText, type Turn } from "./turns.js";
import { setNewest } from "../set-newest.js";

export interface ScopeMemoryOptions {
  /** The filesystem of the nodes. */
  readonly files: VirtualFilesystem;
  /**
   * Returns the scope of a run, such as the user or the project; undefined for a run without memory. Whoever names a scope reads all
   * of its threads: take the name from what the host has verified, such as `configurable.langgraph_auth_user_id`, never from what a
   * client sends.
   */
  readonly scope: (config: NodeConfig) => string | undefined;
  /** Finds passages of the threads of a scope. @default none: `search` finds notes alone */
  readonly index?: RecallIndex;
  /** Writes the notes. @default none: the notes are sentences of the user, word for word */
  readonly model?: SummaryModel;
  /** Tokens of the notes that a thread begins with. @default 2,000 */
  readonly noteTokens?: number;
  /** Called when a model cannot write notes, so that they are extracted. It must not throw. @default nothing */
  readonly onError?: (error: unknown, at: { readonly threadId: string }) => void;
}

/** Where and when turns were said. */
export interface TurnPlace {
  readonly scope: string;
  readonly threadId: string;
  /** Time of the turns. @default now */
  readonly at?: Date;
}

export interface ConsolidateOptions {
  readonly signal?: AbortSignal | undefined;
}

/** What `consolidate` has done. */
export interface Consolidation {
  /** Threads of the scope. */
  readonly threads: number;
  /** Turns that were read. */
  readonly turns: number;
  /** All notes of the scope. */
  readonly notes: number;
}

/**
 * A memory over the threads of a scope, such as a user or a project. Each thread records its turns; `consolidate` makes notes of
 * them, one fact a line with the place of its words; a later thread of the scope begins with the best notes and searches all
 * turns.
 *
 * What comes from a thread lies in the directory of that thread: whoever deletes the thread deletes its turns and notes. For the
 * index, pass `{ removeThread: (id) => memory.removeThread(id) }` as `index` of the saver.
 * @throws ContextError `bad-option`
 */
export class ScopeMemory implements ToolMemory {
  readonly #options: ScopeMemoryOptions;
  readonly #files: ScopeFiles;
  readonly #notes: NoteWriter;
  readonly #search: ScopeSearch | undefined;
  readonly #texts = new Map<string, { readonly at: number; readonly text: string }>();

  constructor(options: ScopeMemoryOptions) {
    requireOptions(options, "ScopeMemory");
    if (options.noteTokens !== undefined) requireNotNegative("noteTokens", options.noteTokens);
    this.#options = options;
    this.#files = new ScopeFiles(options.files);
    const { model, noteTokens = defaultTokens, onError } = options;
    this.#notes = new NoteWriter(this.#files, {
      ...(model === undefined ? {} : { model }),
      noteTokens,
      onError: (error, threadId) => onError?.(error, { threadId }),
    });
    this.#search = options.index && new ScopeSearch(this.#files, options.index);
  }

  /** Returns the scope of a run, or undefined for a run without memory. @throws ContextError `bad-option` for another value. */
  scopeOf(config: NodeConfig): string | undefined {
    const scope: unknown = this.#options.scope(config);
    if (scope === undefined || scope === null) return undefined;
    if (typeof scope === "string" && scope !== "") return scope;
    throw new ContextError(
      "bad-option",
      `scope returned ${shownValue(scope)}: return the name of the scope, or undefined for a run without memory`,
    );
  }

  /**
   * Returns the notes that a thread began with as a section of the system prompt; empty if there were none. The first call adds the
   * thread to the scope and chooses the notes, half of them by what the thread is `about`, such as its first request. Later calls return
   * the same ones, without those that were deleted since.
   * @throws ContextError `bad-option` for a thread of another scope.
   */
  async opening(scope: string, threadId: string, about?: string): Promise<string> {
    const key = JSON.stringify([scope, threadId]);
    const known = this.#texts.get(key);
    if (known !== undefined && performance.now() - known.at < freshMs) return known.text;
    const { notes } = await this.#join(scope, threadId, about);
    const owners = [...new Set(notes.map((note) => note.threadId))];
    const isMember = await Promise.all(
      owners.map(async (owner) => (await this.#files.membership(owner))?.scope === scope),
    );
    const current = await this.#notes.read(owners.filter((_, at) => isMember[at]));
    const chosen = new Set(notes.map(({ id }) => id));
    const text = notesText(current.filter(({ id }) => chosen.has(id)).toSorted(byTime));
    setNewest(this.#texts, [key, { at: performance.now(), text }], mostTexts);
    return text;
  }

  /**
   * Records the turns of a thread that are complete: what the user said, what the agent did and replied, tool results of more than
   * 2,000 characters shortened. A turn that was recorded before is written again only if it has changed. Returns how many were
   * written.
   * @throws ContextError `bad-option` for a thread of another scope.
   */
  async record(
    { scope, threadId, at = new Date() }: TurnPlace,
    messages: readonly BaseMessage[],
  ): Promise<number> {
    return withLock(this, threadId, async () => {
      await this.#files.enlist(await this.#join(scope, threadId));
      const known = (await this.#files.turns(threadId)).map(({ name }) => name);
      let written = 0;
      for (const turn of await this.#unrecorded(threadId, messages, known)) {
        const textOf = (number: number) => turnText(turn, { number, at: at.toISOString() });
        const name = await this.#files.putTurn(threadId, turn.id, { known, textOf });
        if (name === undefined) continue;
        written += 1;
        if (!known.includes(name)) known.push(name);
      }
      if (written > 0) this.#search?.expire(scope);
      return written;
    });
  }

  /**
   * Makes notes of the turns that have none yet, and forgets the threads that were deleted. Run it while the agents are idle. When a
   * model fails, the notes of that turn are extracted, and the next call asks again.
   */
  async consolidate(scope: string, { signal }: ConsolidateOptions = {}): Promise<Consolidation> {
    const { threads, gone } = await this.#files.members(scope);
    for (const directory of gone) await this.#files.leave(scope, directory);
    if (gone.length > 0) await this.#search?.remove(scope);
    let read = 0;
    for (const threadId of threads) {
      signal?.throwIfAborted();
      read += await withLock(this, threadId, async () => this.#notes.write({ threadId, threads, signal }));
    }
    const notes = await this.#notes.read(threads);
    return { threads: threads.length, turns: read, notes: notes.length };
  }

  /**
   * Returns the notes of a scope that say most within a budget of tokens, the oldest first. Half of the budget is for those that match
   * `about`, if there is one.
   */
  async notes(
    scope: string,
    tokens = this.#options.noteTokens ?? defaultTokens,
    about = "",
  ): Promise<readonly Note[]> {
    const { threads } = await this.#files.members(scope);
    return chooseNotes(await this.#notes.read(threads), tokens, about);
  }

  /** Returns the ids of the threads in a scope. */
  async threads(scope: string): Promise<readonly string[]> {
    return (await this.#files.members(scope)).threads;
  }

  /**
   * Returns what the threads of a scope say to a question: the notes that match best, each with the later ones of its subject, and
   * the passages, for which an `index` is needed. Paths have short names of threads.
   */
  async search(scope: string, query: string, options: ScopeSearchOptions = {}): Promise<MemoryHits> {
    const { limit = defaultLimit, except } = options;
    const { threads } = await this.#files.members(scope);
    const notes = await this.#notes.read(threads.filter((threadId) => threadId !== except));
    const passages = (await this.#search?.search(scope, query, { limit, ...options })) ?? [];
    return {
      notes: matchingNotes(notes, query, Math.min(limit, mostNotes)).map(withShortPath),
      passages: passages.map(withShortPath),
    };
  }

  /** Returns the turns of a scope's threads as a read-only tree for the mount `/threads/`. */
  backend(scope: string): Backend {
    return scopeBackend(this.#files, this.#options.files.driver, scope);
  }

  /** Forgets a thread: its turns, its notes and what the index holds of it. */
  async removeThread(threadId: string): Promise<void> {
    const known = await this.#files.membership(threadId);
    await this.#files.removeThread(threadId);
    this.#texts.clear();
    await this.#search?.removeThread(threadId);
    if (known !== undefined) await this.#search?.remove(known.scope);
  }

  async #join(scope: string, threadId: string, about?: string): Promise<Membership> {
    const known = await this.#files.membership(threadId);
    if (known?.scope === scope) return known;
    if (known !== undefined)
      throw new ContextError(
        "bad-option",
        `The thread ${shownValue(threadId)} belongs to another scope than ${shownValue(scope)}: a thread stays in one scope. ` +
          "Begin a new thread, or return the scope that the thread was begun in.",
      );
    const chosen = await this.notes(scope, undefined, about);
    const notes = chosen.map((note) => ({ threadId: note.threadId, id: note.id }));
    const membership = { threadId, scope, notes };
    await this.#files.join(membership);
    this.#search?.expire(scope);
    return membership;
  }

  /** Returns the complete turns from the last recorded one on. Opens only the folds of these. */
  async #unrecorded(
    threadId: string,
    messages: readonly BaseMessage[],
    known: readonly string[],
  ): Promise<readonly Turn[]> {
    const last = turnsOf(messages).findLast(({ id }) => known.some((name) => name.endsWith(turnSuffix(id))));
    const from = last === undefined ? 0 : messages.findIndex(({ id }) => id === last.id);
    const { files } = this.#options;
    const archive = files.archive(threadId);
    const read = async (path: string) => archive.readText(path);
    const context = await genuineMessages(messages.slice(from), files.seal(threadId), read);
    const opened = await openFolds(context, read, replacesOthers);
    return turnsOf(opened).filter(({ isComplete }) => isComplete);
  }
}

function withShortPath<T extends MemoryHit>(hit: T): T {
  return { ...hit, path: shortTurnPath(hit.path) };
}

const defaultTokens = 2_000;
const defaultLimit = 5;
/** Notes that match a question: more cost room that passages use better (evals, notes). */
const mostNotes = 5;
/** Milliseconds after which the notes of a running thread are read again, so that deleted ones leave it. */
const freshMs = 60_000;
/** Threads whose notes stay in memory. */
const mostTexts = 1_000;
