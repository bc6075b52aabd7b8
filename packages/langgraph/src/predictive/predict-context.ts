import type { BaseMessage } from "@langchain/core/messages";
import { withIds } from "@palimpsest/context";
import { nativeHead, nativeStart, readMessages } from "@palimpsest/context/internal";
import { mustThrow, type CommitOptions } from "../run/commit.js";
import { continuedContext } from "../run/node-state.js";
import { openOriginals, type OpenedContext } from "../run/open-context.js";
import { reportNative, reporter } from "../run/reporter.js";
import { admitFolds, sealFolds } from "../run/sealed-folds.js";
import { threadIdOf, type NodeConfig } from "../run-config.js";
import type { ThreadMemories } from "./memory/thread-memories.js";
import type { ResolvedPredictive } from "./predictive-options.js";
import { selectNext, type Selecting } from "./select-next.js";

interface PredictInput {
  /** The thread; with a rewrite, the current context and the new messages. */
  readonly messages: readonly BaseMessage[];
  /** The context of the step before, if it has a state key of its own. */
  readonly context?: readonly BaseMessage[] | undefined;
  readonly config?: NodeConfig | undefined;
  /** Names the files of a run without a `thread_id`. */
  readonly scope?: string | undefined;
}

/**
 * Returns the context for the next step, as `selectNext` does. A compaction by the provider and the messages that it covers
 * stay as they are; the selection is made from the messages after them.
 */
export async function predictContext(
  { messages, context, config, scope }: PredictInput,
  options: ResolvedPredictive,
  memories: ThreadMemories,
): Promise<readonly BaseMessage[]> {
  const asSentBefore = context === undefined ? messages : continuedContext(messages, context);
  const threadId = threadIdOf(config, scope);
  if (threadId === undefined) {
    const error = new Error(
      "This run has no thread_id, so its steps cannot be archived: pass configurable.thread_id",
    );
    reporter(options, config, "").fail("archive", error);
    return asSentBefore;
  }
  const run = {
    report: reporter(options, config, threadId),
    archive: options.files.archive(threadId),
    seal: options.files.seal(threadId),
    signal: config?.signal,
    onError: options.onError,
  };
  try {
    const opened = await openOriginals(context ?? messages, run, options.tokenCounter);
    const thread = context === undefined ? undefined : await admitFolds(messages, run.seal);
    return await predictNext({ thread, opened }, options, memories);
  } catch (error) {
    if (mustThrow(error, run)) throw error;
    run.report.fail("archive", error);
    return asSentBefore;
  }
}

interface OpenedLists {
  /** The whole thread, if the context has a state key of its own. */
  readonly thread: readonly BaseMessage[] | undefined;
  readonly opened: OpenedContext<CommitOptions>;
}

async function predictNext(
  { thread, opened }: OpenedLists,
  options: ResolvedPredictive,
  memories: ThreadMemories,
): Promise<readonly BaseMessage[]> {
  const { run, admitted } = opened;
  const context = await openedContext(opened);
  const input = thread ?? context;
  const messages = withIds(input);
  const currentContext = thread === undefined ? messages : continuedContext(messages, context);
  reportNative(messages, run.report);
  const selecting = { messages, currentContext, run, isRewrite: thread === undefined };
  const end = nativeHead(currentContext);
  const head = currentContext.slice(0, end);
  const behind = end === 0 ? { selecting, options } : behindHead(head, selecting, options);
  const selected = await selectNext(behind.selecting, behind.options, memories);
  if (selected === "failed") return thread === undefined ? admitted : continuedContext(thread, admitted);
  if (selected === "unchanged") return currentContext === messages ? input : currentContext;
  return [...head, ...selected];
}

/** Returns the selection of the messages after the provider's compaction that the context begins with. */
function behindHead(head: readonly BaseMessage[], selecting: Selecting, options: ResolvedPredictive) {
  const { messages, currentContext, run } = selecting;
  return {
    selecting: {
      ...selecting,
      messages: messages.slice(nativeHead(messages)),
      currentContext: currentContext.slice(head.length),
      memory: `${run.report.threadId} ${head[nativeStart(head)]?.id ?? ""}`,
    },
    options: { ...options, budget: Math.max(1, options.budget - options.tokenCounter(readMessages(head))) },
  };
}

/** Returns the opened context. Folds inside a held record are genuine, as the seal of its stand-in proves. */
async function openedContext({ messages, isOpened, run }: OpenedContext<CommitOptions>) {
  if (!isOpened) return messages;
  return (await sealFolds({ messages, folds: [] }, run.seal)).messages;
}
