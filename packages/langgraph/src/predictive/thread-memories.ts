import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import type { ThreadMemory } from "./thread-memory.js";

export interface SyncOptions {
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

  forget(threadId: string): void {
    this.#memories.delete(threadId);
  }
}

/** The memory with what came since; undefined where the messages are of another past, as after time travel. */
function continuedMemory(
  memory: ThreadMemory,
  messages: readonly BaseMessage[],
  { isRewrite }: SyncOptions,
): ThreadMemory | undefined {
  const at = messages.findLastIndex(
    (message) => message.id !== undefined && isNewest(message, memory.lastId),
  );
  if (at < 0 || (!isRewrite && at + 1 !== memory.messageCount)) return undefined;
  memory.append(messages.slice(at + 1));
  return memory;
}

/** Also a stand-in that ends a context tells up to where it goes. */
function isNewest(message: BaseMessage, lastId: string | undefined): boolean {
  return message.id === lastId || foldOf(message)?.newest === lastId;
}
