import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { earlyEnd, type EarlyEnd } from "@palimpsest/context/internal";
import { ladder } from "../compaction/compact.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { CompactionState } from "../run/context-state.js";
import type { ModelStep } from "../run/model-step.js";
import { partsOf } from "../run/reply.js";
import { compactBeforeCall } from "./compact-before-call.js";
import { planAfterError, refusalCause, type RefusalCause } from "./context-after-error.js";
import { archiveAnswers, reportRetry } from "./early-answers.js";

interface FittedCall {
  readonly step: ModelStep<ResolvedOptions>;
  readonly options: ResolvedOptions;
  readonly call: (messages: BaseMessage[], compaction: CompactionState) => Promise<AIMessage>;
}

/**
 * Calls the model with a context that fits its window. Calls it once more with a changed context if the provider refuses the
 * context, or ends the answer at the window. A second refusal for the same cause is rethrown; a second answer of that kind
 * stays.
 */
export async function callFitted(fitted: FittedCall): Promise<AIMessage> {
  await fitted.step.run(compactBeforeCall());
  return answer(fitted, new Set());
}

type Tried = Set<RefusalCause | EarlyEnd>;

/** @throws the provider's error if no changed context helps. */
async function answer(fitted: FittedCall, tried: Tried): Promise<AIMessage> {
  const { step, call } = fitted;
  let reply: AIMessage;
  try {
    reply = await call([...step.messages], step.known);
  } catch (error) {
    const cause = refusalCause(error);
    if (cause === undefined || !isFirst(cause, tried)) throw error;
    if (!(await step.run(planAfterError(error), { overflow: cause === "overflow" }))) throw error;
    return answer(fitted, tried);
  }
  return (await isCallDue(reply, fitted, tried)) ? answer(fitted, tried) : reply;
}

/** Prepares another call after an answer that ended early; returns false if the answer stays. */
async function isCallDue(reply: AIMessage, { step, options }: FittedCall, tried: Tried): Promise<boolean> {
  const newest = partsOf(reply).said.at(-1);
  const end = newest === undefined ? undefined : earlyEnd(newest, options.maxPromptTokens);
  if (newest === undefined || end === undefined) return false;
  if (!isFirst(end === "window-exceeded" ? "overflow" : end, tried)) return false;
  if (end === "provider-compacted") {
    return step.run(async (run) => {
      reportRetry(end, [newest], run);
      run.settle([...run.messages, newest]);
      return undefined;
    });
  }
  let isArchived = false;
  const isShorter = await step.run(
    async (run) => {
      const before = run.messages;
      const state = await ladder()(run);
      isArchived = run.messages !== before && (await archiveAnswers([newest], run));
      return state;
    },
    { overflow: true },
  );
  return isShorter && isArchived;
}

function isFirst(cause: RefusalCause | EarlyEnd, tried: Tried): boolean {
  if (tried.has(cause)) return false;
  tried.add(cause);
  return true;
}
