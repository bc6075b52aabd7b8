import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, toolCalls, type Fold, type ReadArchive } from "@palimpsest/context";
import {
  gainedSince,
  isAi,
  isToolResult,
  openFolds,
  remember,
  replacesOthers,
} from "@palimpsest/context/internal";
import type { ThreadMemory } from "./thread-memory.js";

interface SyncOptions {
  /** True if the messages are the context, in which stand-ins cover steps, and not the whole thread. */
  readonly isRewrite: boolean;
  readonly create: () => ThreadMemory;
  /** Returns the whole thread that the messages were folded from, without copies of messages. */
  readonly open: () => Promise<readonly BaseMessage[]>;
}

interface FollowOptions extends Omit<SyncOptions, "open"> {
  /** True if the context is so large that a selection is due soon. */
  readonly isNear: boolean;
}

/**
 * The memories of the threads of one process: a cache of graph state and archive. Over `maxTokens` of all threads, the least
 * recently used memories are dropped, and rebuilt when their threads run again. The newest one stays, whatever its size.
 */
export class ThreadMemories {
  readonly #memories = new Map<string, ThreadMemory>();
  readonly #maxTokens: number;

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens;
  }

  /** Returns the memory of a thread, brought up to its newest message. */
  async sync(
    threadId: string,
    messages: readonly BaseMessage[],
    options: SyncOptions,
  ): Promise<ThreadMemory> {
    const cached = this.#memories.get(threadId);
    this.#memories.delete(threadId);
    const memory =
      (cached === undefined ? undefined : continuedMemory(cached, messages, options)) ?? options.create();
    if (memory !== cached) {
      memory.append(await options.open());
    }
    memory.remembered = remember(messages);
    this.#memories.set(threadId, memory);
    this.#dropOldest(memory);
    return memory;
  }

  #dropOldest(newest: ThreadMemory): void {
    let tokens = [...this.#memories.values()].reduce((sum, memory) => sum + memory.tokens, 0);
    for (const [threadId, memory] of this.#memories) {
      if (tokens <= this.#maxTokens || memory === newest) return;
      this.#memories.delete(threadId);
      tokens -= memory.tokens;
    }
  }

  /**
   * Adds new messages to the memory, at most {@link maxFollowedSteps} steps, so that the next selection has little left to
   * read, and returns the memory. With `isNear`, begins a memory for a thread without folds, so that this also holds for the
   * first selection. Does nothing while a call waits for its result: a step is added with all of its results.
   */
  follow(
    threadId: string,
    messages: readonly BaseMessage[],
    options: FollowOptions,
  ): ThreadMemory | undefined {
    const cached = this.#memories.get(threadId);
    if (isCalling(messages) || (cached === undefined && !options.isNear)) return undefined;
    if (cached !== undefined) {
      const memory = continuedMemory(cached, messages, { ...options, maxSteps: maxFollowedSteps });
      if (memory === undefined) this.forget(threadId);
      return memory;
    }
    if (messages.some(isOpened)) return undefined;
    const memory = options.create();
    const first = firstSteps(messages, maxFollowedSteps);
    memory.append(first);
    memory.remembered = remember(first);
    this.#memories.set(threadId, memory);
    this.#dropOldest(memory);
    return memory;
  }

  forget(threadId: string): void {
    this.#memories.delete(threadId);
  }
}

/** Maximum steps to read at once before a selection is due; limits the added time of a step. */
const maxFollowedSteps = 16;

/** Returns the messages of the first steps, at most `most`. */
function firstSteps(messages: readonly BaseMessage[], most: number): readonly BaseMessage[] {
  let steps = 0;
  const end = messages.findIndex((message) => !isToolResult(message) && steps++ === most);
  return end < 0 ? messages : messages.slice(0, end);
}

interface ContinueOptions extends Pick<SyncOptions, "isRewrite"> {
  /** Maximum steps to add. @default all */
  readonly maxSteps?: number;
}

/**
 * Adds the new messages; returns undefined if the messages have another past, as after time travel or a change by the host, or if
 * a client has sent history again.
 */
function continuedMemory(
  memory: ThreadMemory,
  messages: readonly BaseMessage[],
  { isRewrite, maxSteps = Infinity }: ContinueOptions,
): ThreadMemory | undefined {
  const gained = gainedSince(memory.remembered, messages);
  if (gained === undefined || (isRewrite && memory.hasAny(gained))) return undefined;
  const added = firstSteps(gained, maxSteps);
  memory.append(added);
  memory.remembered = [...memory.remembered, ...remember(added)];
  return memory;
}

/** Returns whether a call of the newest AI message waits for its result. */
function isCalling(messages: readonly BaseMessage[]): boolean {
  const at = messages.findLastIndex((message) => isAi(message));
  const newest = messages[at];
  if (newest === undefined) return false;
  const results = messages.slice(at + 1).filter((message) => isToolResult(message));
  const answered = new Set(results.map((result) => result.tool_call_id));
  return toolCalls(newest).some(({ id }) => id !== undefined && !answered.has(id));
}

/**
 * Returns the thread of a context: without summaries, blocks and records of steps, of any strategy, and with the originals of
 * messages that a selection shortened or that have lost their reasoning. Other short forms of single messages stay.
 */
export async function openThread(
  messages: readonly BaseMessage[],
  read: ReadArchive,
): Promise<readonly BaseMessage[]> {
  return openFolds(messages, read, isOpenedFold);
}

function isOpenedFold(fold: Fold): boolean {
  return replacesOthers(fold) || fold.kind === "reasoning" || fold.reason === "predicted";
}

function isOpened(message: BaseMessage): boolean {
  const fold = foldOf(message);
  return fold !== undefined && isOpenedFold(fold);
}
