import type { BaseMessage } from "@langchain/core/messages";
import { earlyEnd, type EarlyEnd } from "@palimpsest/context/internal";
import { ladder } from "../compaction/compact.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { CompactionState } from "../run/context-state.js";
import type { Plan } from "../run/run-step.js";
import { compactBeforeCall } from "./compact-before-call.js";
import { planAfterError, refusalReason, type RefusalReason } from "./context-after-error.js";
import { archiveAnswers, reportRetry } from "./early-answers.js";

/** The step around a model call: that of a middleware, or of a node. */
interface CallStep {
  /** The messages to send. */
  readonly messages: readonly BaseMessage[];
  /** What compaction remembers, with the updates of this call. */
  readonly known: CompactionState;
  /** Runs a plan; returns whether it has changed the messages. */
  run(plan: Plan<ResolvedOptions>, how?: { readonly overflow?: boolean }): Promise<boolean>;
}

interface FittedCall<Reply> {
  readonly step: CallStep;
  readonly options: ResolvedOptions;
  readonly call: (messages: BaseMessage[], compaction: CompactionState) => Promise<Reply>;
  /** Returns the messages of a reply. */
  readonly said: (reply: Reply) => readonly BaseMessage[];
}

/**
 * Calls the model with a context that fits its window. Calls it once more with a changed context if the provider refuses the
 * context, or ends the answer at the window. A second refusal for the same reason is rethrown; a second answer of that kind
 * stays.
 */
export async function callFitted<Reply>(fitted: FittedCall<Reply>): Promise<Reply> {
  await fitted.step.run(compactBeforeCall());
  return answer(fitted, new Set());
}

type Tried = Set<RefusalReason | EarlyEnd>;

/** @throws the provider's error if no changed context helps. */
async function answer<Reply>(fitted: FittedCall<Reply>, tried: Tried): Promise<Reply> {
  const { step, call } = fitted;
  let reply: Reply;
  try {
    reply = await call([...step.messages], step.known);
  } catch (error) {
    const reason = refusalReason(error);
    if (reason === undefined || !isFirst(reason, tried)) throw error;
    if (!(await step.run(planAfterError(error), { overflow: reason === "overflow" }))) throw error;
    return answer(fitted, tried);
  }
  return (await makeRoom(reply, fitted, tried)) ? answer(fitted, tried) : reply;
}

/**
 * Changes the context after an answer that ended early, so that another call can take its place: compacts it and archives the answer,
 * or adds the compaction of the provider. Returns false if the answer stays.
 */
async function makeRoom<Reply>(
  reply: Reply,
  { step, options, said }: FittedCall<Reply>,
  tried: Tried,
): Promise<boolean> {
  const newest = said(reply).at(-1);
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

function isFirst(reason: RefusalReason | EarlyEnd, tried: Tried): boolean {
  if (tried.has(reason)) return false;
  tried.add(reason);
  return true;
}
