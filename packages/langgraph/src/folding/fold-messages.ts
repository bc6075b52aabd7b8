import { isGraphBubbleUp } from "@langchain/langgraph";
import { goalsOf, withIds, type Goal } from "@palimpsest/context";
import type { CompactInput, CompactOutcome } from "../compaction/compact-input.js";
import { commit } from "../edge/commit.js";
import type { CompactionState } from "../edge/context-state.js";
import { reporter } from "../edge/reporter.js";
import { threadIdOf } from "../edge/run-config.js";
import type { ResolvedFoldOptions } from "./fold-options.js";
import { planFold } from "./plan-fold.js";

/**
 * Returns the context with the past as blocks: one core for the node and the middleware.
 *
 * `archived -> applied`: a failure before the end leaves the messages as they were and sends an event, unless
 * `onError` is "throw". Aborts and graph interrupts pass through.
 */
export async function foldMessages(
  input: CompactInput,
  options: ResolvedFoldOptions,
): Promise<CompactOutcome> {
  const { messages: before, state, config } = input;
  const threadId = threadIdOf(config, before);
  if (threadId === undefined) return { messages: before };
  const report = reporter(options, config, threadId);
  try {
    const messages = withIds(before);
    const goals = goalsOf(messages, state?.goals);
    const files = options.files.thread(threadId);
    const read = (path: string) => files.archive.readText(path);
    const plan = await planFold(messages, { options, read, goals, ...state });
    await commit({ ...plan, folds: plan.folds.map(({ fold }) => fold) }, files);
    for (const { fold, reason } of plan.folds) report.folds([fold], reason);
    if (plan.refusal !== undefined && plan.directedBy !== state?.directedBy) {
      const refused = { reason: "agent", because: "bad-directive", message: plan.refusal } as const;
      report.send({ type: "context.skip", ...refused, threadId });
    }
    const update = stateUpdate(state, { goals, directedBy: plan.directedBy });
    const changed = plan.folds.length === 0 ? before : plan.messages;
    return update === undefined ? { messages: changed } : { messages: changed, state: update };
  } catch (error) {
    if (isGraphBubbleUp(error) || config?.signal?.aborted === true || options.onError === "throw")
      throw error;
    report.fail("archive", error);
    return { messages: before };
  }
}

/** Only what is new: an update costs a checkpoint. */
function stateUpdate(
  state: CompactionState | undefined,
  { goals, directedBy }: { readonly goals: readonly Goal[]; readonly directedBy: string | undefined },
): CompactionState | undefined {
  const update = {
    ...(goals === state?.goals || goals.length === 0 ? {} : { goals }),
    ...(directedBy === undefined || directedBy === state?.directedBy ? {} : { directedBy }),
  };
  return Object.keys(update).length === 0 ? undefined : update;
}
