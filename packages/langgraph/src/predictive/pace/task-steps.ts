import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls, unfold } from "@palimpsest/context";
import { isAi, isToolResult, requirePositive } from "@palimpsest/context/internal";
import { requireWhole } from "./pace-options.js";

/** What is read of a saver; a `VfsSaver` is one. */
export interface ReadableThreads {
  threads(): Promise<readonly string[]>;
  readThread(
    config: { readonly configurable: { readonly thread_id: string } },
    options: { readonly unfold: typeof unfold },
  ): AsyncIterable<BaseMessage>;
}

export interface TaskStepsOptions {
  /** Finished threads after which no more are read. @default 200 */
  readonly threads?: number;
  /** Share of them that takes at most so many steps, above 0 and at most 1. @default 0.95 */
  readonly share?: number;
}

/**
 * Returns the steps that tasks take, for `maxSteps`: the 95th percentile of a saver's finished threads, as the
 * paper chooses T_max (PACE, implementation details). A step is a reply with its results, or another message. A thread whose
 * newest message is a reply without calls is finished. Returns undefined if none is. Reads each thread whole.
 *
 * @throws ContextError `bad-option` for a value that cannot work; the saver's error for a thread that cannot be read.
 */
export async function taskSteps(
  saver: ReadableThreads,
  options: TaskStepsOptions = {},
): Promise<number | undefined> {
  const { threads = 200, share = 0.95 } = options;
  requireWhole("threads", threads);
  requirePositive("share", share);
  const counts: number[] = [];
  for (const thread_id of await saver.threads()) {
    if (counts.length === threads) break;
    const messages: BaseMessage[] = [];
    for await (const message of saver.readThread({ configurable: { thread_id } }, { unfold }))
      messages.push(message);
    const newest = messages.at(-1);
    if (newest === undefined || !isAi(newest) || toolCalls(newest).length > 0) continue;
    counts.push(messages.filter((message) => !isToolResult(message)).length);
  }
  return counts.toSorted((a, b) => a - b)[Math.ceil(Math.min(1, share) * counts.length) - 1];
}
