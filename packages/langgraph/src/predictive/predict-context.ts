import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, withIds } from "@palimpsest/context";
import { nativeHead, nativeStart, readMessages } from "@palimpsest/context/internal";
import { mustThrow } from "../edge/commit.js";
import { reportNative } from "../edge/report-native.js";
import { reporter } from "../edge/reporter.js";
import { admitFolds } from "../edge/sealed-folds.js";
import { threadIdOf, type NodeConfig } from "../edge/run-config.js";
import type { ThreadMemories } from "./memory/thread-memories.js";
import type { ResolvedPredictive } from "./predictive-options.js";
import { selectNext, unchanged } from "./select-next.js";

interface PredictInput {
  /** The thread; with a rewrite, the current context and the new messages. */
  readonly messages: readonly BaseMessage[];
  /** The context of the step before, where it has a state key of its own. */
  readonly context?: readonly BaseMessage[] | undefined;
  readonly config?: NodeConfig | undefined;
  /** Names the files of a run without a `thread_id`. */
  readonly scope?: string | undefined;
}

/**
 * Returns the context for the next step, as `selectNext` does. What a compaction of the provider stands for, and its block,
 * stay as they are: the rest is selected behind them.
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
  try {
    const seal = options.files.seal(threadId);
    const admitted = {
      messages: await admitFolds(messages, seal),
      context: context === undefined ? undefined : await admitFolds(context, seal),
    };
    return await predictNext({ ...admitted, config, threadId }, options, memories);
  } catch (error) {
    if (mustThrow(error, { signal: config?.signal, onError: options.onError })) throw error;
    reporter(options, config, threadId).fail("archive", error);
    return asSentBefore;
  }
}

async function predictNext(
  { messages: input, context, config, threadId }: PredictInput & { readonly threadId: string },
  options: ResolvedPredictive,
  memories: ThreadMemories,
): Promise<readonly BaseMessage[]> {
  const messages = withIds(input);
  const currentContext = context === undefined ? messages : continuedContext(messages, context);
  const report = reporter(options, config, threadId);
  reportNative(messages, report);
  const selecting = { threadId, report, signal: config?.signal, isRewrite: context === undefined };
  const end = nativeHead(currentContext);
  if (end === 0) return selectNext({ messages, currentContext, input, ...selecting }, options, memories);
  const head = currentContext.slice(0, end);
  const since = messages.slice(nativeHead(messages));
  const budget = Math.max(1, options.budget - options.tokenCounter(readMessages(head)));
  const behind = { messages: since, currentContext: currentContext.slice(end), input: since, ...selecting };
  const selected = await selectNext(
    { ...behind, memory: `${threadId} ${currentContext[nativeStart(head)]?.id ?? ""}` },
    { ...options, budget },
    memories,
  );
  const isSame = selected === behind.currentContext || selected === since;
  return isSame ? unchanged(currentContext, { messages, input }) : [...head, ...selected];
}

/** Returns the context of the step before with the new messages; the whole thread where the two have different pasts. */
export function continuedContext(
  thread: readonly BaseMessage[],
  context: readonly BaseMessage[],
): readonly BaseMessage[] {
  const last = context.at(-1);
  const id = last === undefined ? undefined : (foldOf(last)?.newest ?? last.id);
  const at = id === undefined ? -1 : thread.findLastIndex((message) => message.id === id);
  return at < 0 ? thread : [...context, ...thread.slice(at + 1)];
}
