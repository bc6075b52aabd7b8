import type { BaseMessage } from "@langchain/core/messages";
import { originalMessages, soundMessages } from "@palimpsest/context/internal";
import { isTracked, markedPrefix, rewrittenPrefix, type SentPrefix } from "../epochs/sent-prefix.js";
import { newScope, threadIdOf } from "../run-config.js";
import { holdRewrite } from "./commit.js";
import { reportFailure } from "./error-policy.js";
import type { CompactionState } from "./context-state.js";
import { measureOf } from "./measure.js";
import { knownState } from "./node-state.js";
import { openContext, withoutShortReasoning, type Opened } from "./open-context.js";
import { Step, type StepInput, type StepOptions } from "./step.js";

export interface StepOutcome {
  /** The context; the same array as the input if nothing changed. */
  readonly messages: readonly BaseMessage[];
  /** Update for the channel `compaction`. */
  readonly state?: CompactionState;
  /** With `sent`: the prefix that is still valid, for the one who records what is sent. */
  readonly prefix?: SentPrefix | "unrecorded" | undefined;
}

/** What a strategy does in a step: changes the context through {@link Step.apply}, and returns what it remembers. */
export type Plan<Options extends StepOptions> = (step: Step<Options>) => Promise<CompactionState | undefined>;

/**
 * Runs one step of a thread around a plan. Every strategy runs in it.
 *
 * It names the thread, opens the context (forged folds become messages, held originals return, reasoning that the host has made
 * stale leaves), calls the plan, and closes: the originals that the archive could not take are held in state if the context
 * would not fit the window without their short form, and the prefix that is sent next is recorded. An error sends an event and
 * leaves the last context whose originals are archived; `mustThrow` says which errors reach the host.
 *
 * A reducer lets in whatever a client sends: here, every list gets the form that all readers rely on, and what comes out is what
 * came in.
 */
export async function runStep<Options extends StepOptions>(
  start: StepInput,
  options: Options,
  plan: Plan<Options>,
): Promise<StepOutcome> {
  const { messages, state, config, sent, thread } = start;
  const input = {
    ...start,
    messages: soundMessages(messages),
    ...(sent === undefined ? {} : { sent: soundMessages(sent) }),
    ...(thread === undefined ? {} : { thread: soundMessages(thread) }),
  };
  const { scope = knownState(input.messages, state)?.scope } = start;
  const id = threadIdOf(config, scope);
  const threadId = id ?? newScope();
  const step = new Step({ input, options, threadId });
  const { failures } = step;
  const earlier = failures.length;
  const outcome = await runPlan(step, plan, id === undefined ? { scope: threadId } : {});
  const isSame = outcome.messages === input.messages;
  return {
    ...outcome,
    ...(failures.length === earlier ? {} : { state: { ...outcome.state, failures: [...failures] } }),
    messages: isSame ? messages : originalMessages(outcome.messages),
  };
}

async function runPlan<Options extends StepOptions>(
  step: Step<Options>,
  plan: Plan<Options>,
  identity: Pick<CompactionState, "scope">,
): Promise<StepOutcome> {
  try {
    const opened = await openContext(step);
    const { driftCalls } = step.options;
    const drift = driftCalls === undefined ? {} : step.watchDrift(driftCalls);
    const update = await plan(step);
    const prompt = await step.keepPrompt();
    const lane = step.laneRun && step.noteLane(step.laneRun);
    return await close(step, opened, { ...update, ...drift, ...prompt, ...identity, ...lane });
  } catch (error) {
    reportFailure(error, step, { rung: "compaction" });
    return { messages: step.settled, prefix: "unrecorded" };
  }
}

async function close<Options extends StepOptions>(
  step: Step<Options>,
  { sent, prefix, isHeld }: Opened,
  update: CompactionState,
): Promise<StepOutcome> {
  let state = { ...step.opening, ...update };
  if (step.unwritten !== undefined && staysWhole(step)) step.messages = step.whole;
  else if (step.unwritten !== undefined) {
    step.messages = await holdRewrite(step.unwritten, step);
    // The next step compacts again as soon as the archive is back, whatever was refused in this one.
    const { refusedAt: _, ...kept } = state;
    state = kept;
  }
  const short = isHeld && step.isDown ? withoutShortReasoning(sent, step) : undefined;
  if (short !== undefined) step.messages = await holdRewrite(short, step);
  const { messages } = step;
  if (step.input.sent !== undefined) return { messages, state, prefix };
  if (prefix !== "unrecorded") {
    const valid = rewrittenPrefix(prefix, sent, messages);
    const marked = isTracked(messages, valid) ? markedPrefix(messages, valid) : valid;
    if (marked !== step.input.state?.prefix) state = { ...state, prefix: marked };
  }
  return Object.keys(state).length === 0 ? { messages } : { messages, state };
}

/** Returns whether a context fits the window without the changes that could not be archived. */
function staysWhole<Options extends StepOptions>({
  whole,
  options,
  known,
  overflow,
}: Step<Options>): boolean {
  return !overflow && measureOf(whole, options, known).tokens <= options.maxPromptTokens;
}
