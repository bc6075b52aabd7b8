import type { BaseMessage } from "@langchain/core/messages";
import { ContextError, toolCalls, unfold } from "@palimpsest/context";
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
  { threads = 200, share = 0.95 }: TaskStepsOptions = {},
): Promise<number | undefined> {
  requireWhole("threads", threads);
  requireShare(share);
  const counts: number[] = [];
  for (const thread_id of await saver.threads()) {
    if (counts.length === threads) break;
    const messages: BaseMessage[] = [];
    for await (const message of saver.readThread({ configurable: { thread_id } }, { unfold }))
      messages.push(message);
    if (!isFinished(messages.at(-1))) continue;
    counts.push(messages.filter((message) => !isToolResult(message)).length);
  }
  return counts.toSorted((a, b) => a - b)[Math.ceil(share * counts.length) - 1];
}

function requireShare(share: number): void {
  requirePositive("share", share);
  if (share > 1)
    throw new ContextError("bad-option", `share is ${share}: use a number above 0 and at most 1`);
}

function isFinished(newest: BaseMessage | undefined): boolean {
  return newest !== undefined && isAi(newest) && toolCalls(newest).length === 0;
}
