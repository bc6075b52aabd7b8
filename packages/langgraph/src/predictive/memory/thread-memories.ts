import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, fromStoredMessage, toolCalls, unfold, type StoredMessage } from "@palimpsest/context";
import { isAi, isToolResult } from "@palimpsest/context/internal";
import type { Archive } from "@palimpsest/vfs";
import type { ThreadMemory } from "./thread-memory.js";

interface SyncOptions {
  /** The messages are the context, in which stand-ins cover steps, and not the whole thread. */
  readonly isRewrite: boolean;
  readonly create: () => ThreadMemory;
  /** Returns the whole thread behind the messages. */
  readonly open: () => Promise<readonly BaseMessage[]>;
}

/** Threads that are remembered; the one used longest ago is made anew when it is needed again. */
const mostThreads = 32;

/** Memories of the threads that one process runs. Whatever is missing here is made anew: the state is in graph and archive. */
export class ThreadMemories {
  readonly #memories = new Map<string, ThreadMemory>();

  /** Returns the memory of a thread with all of its messages in it. */
  async sync(
    threadId: string,
    messages: readonly BaseMessage[],
    options: SyncOptions,
  ): Promise<ThreadMemory> {
    const known = this.#memories.get(threadId);
    this.#memories.delete(threadId);
    const memory =
      (known === undefined ? undefined : continuedMemory(known, messages, options)) ?? options.create();
    if (memory !== known) memory.append(await options.open());
    this.#memories.set(threadId, memory);
    const [oldest] = this.#memories.keys();
    if (this.#memories.size > mostThreads && oldest !== undefined) this.#memories.delete(oldest);
    return memory;
  }

  /**
   * Adds to a memory that is here what its thread has got since, so that a selection finds little left to read. Nothing
   * where a call has no result yet: a step is added with all of them.
   */
  follow(threadId: string, messages: readonly BaseMessage[], options: Pick<SyncOptions, "isRewrite">): void {
    const known = this.#memories.get(threadId);
    if (known !== undefined && !isCalling(messages)) continuedMemory(known, messages, options);
  }

  forget(threadId: string): void {
    this.#memories.delete(threadId);
  }
}

/** The memory with what came since; undefined where the messages are of another past, as after time travel. */
function continuedMemory(
  memory: ThreadMemory,
  messages: readonly BaseMessage[],
  { isRewrite }: Pick<SyncOptions, "isRewrite">,
): ThreadMemory | undefined {
  const at = messages.findLastIndex(
    (message) => message.id !== undefined && isNewest(message, memory.lastId),
  );
  if (at < 0 || (!isRewrite && at + 1 !== memory.messageCount)) return undefined;
  memory.append(messages.slice(at + 1));
  return memory;
}

/** True while a call of the newest message of the model waits for its result. */
function isCalling(messages: readonly BaseMessage[]): boolean {
  const at = messages.findLastIndex((message) => isAi(message));
  const newest = messages[at];
  if (newest === undefined) return false;
  const results = messages.slice(at + 1).filter((message) => isToolResult(message));
  const answered = new Set(results.map((result) => result.tool_call_id));
  return toolCalls(newest).some(({ id }) => id !== undefined && !answered.has(id));
}

/** Also a stand-in that ends a context tells up to where it goes. */
function isNewest(message: BaseMessage, lastId: string | undefined): boolean {
  return message.id === lastId || foldOf(message)?.newest === lastId;
}

/**
 * Returns the messages with every stand-in for steps replaced by them, and every message that a selection shortened by its
 * original; folds of others stay as they are.
 */
export async function openThread(
  messages: readonly BaseMessage[],
  archive: Archive,
): Promise<readonly BaseMessage[]> {
  const opened: BaseMessage[] = [];
  for (const message of messages) {
    const fold = foldOf(message);
    if ((fold?.kind === "offload" || fold?.kind === "input") && fold.reason === "predicted") {
      opened.push(...(await unfold([message], (path) => archive.readText(path), { levels: 1 })));
      continue;
    }
    if (fold?.kind !== "chunk" || fold.record === undefined) {
      opened.push(message);
      continue;
    }
    const lines = (await archive.readText(fold.record)).split("\n").filter((line) => line !== "");
    const inner = lines.map((line) => fromStoredMessage(JSON.parse(line) as StoredMessage));
    opened.push(...(await openThread(inner, archive)));
  }
  return opened;
}
