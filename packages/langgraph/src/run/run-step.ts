import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, withIds, type Rewrite } from "@palimpsest/context";
import {
  changedFrom,
  hasBoundReasoning,
  hasReasoning,
  nativeStart,
  openHeld,
  originalMessages,
  reconcile,
  soundMessages,
  staleStart,
} from "@palimpsest/context/internal";
import {
  isTracked,
  markedPrefix,
  rewrittenPrefix,
  withMarks,
  type SentPrefix,
} from "../epochs/sent-prefix.js";
import { countAhead } from "../options/counted-ahead.js";
import { newScope, threadIdOf } from "../run-config.js";
import { commitRewrite, holdRewrite, mustThrow, reportCounter, writeArchive } from "./commit.js";
import type { CompactionState } from "./context-state.js";
import { measureOf } from "./measure.js";
import { knownState } from "./node-state.js";
import { reportNative } from "./reporter.js";
import { admitFolds, sealFolds } from "./sealed-folds.js";
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
  given: StepInput,
  resolved: Options,
  plan: Plan<Options>,
): Promise<StepOutcome> {
  const { messages, sent, thread } = given;
  const input = {
    ...given,
    messages: soundMessages(messages),
    ...(sent === undefined ? {} : { sent: soundMessages(sent) }),
    ...(thread === undefined ? {} : { thread: soundMessages(thread) }),
  };
  const outcome = await runOpened(input, resolved, plan);
  const isSame = outcome.messages === input.messages;
  return { ...outcome, messages: isSame ? messages : originalMessages(outcome.messages) };
}

async function runOpened<Options extends StepOptions>(
  given: StepInput,
  resolved: Options,
  plan: Plan<Options>,
): Promise<StepOutcome> {
  const { messages, state, config } = given;
  const { scope = knownState(messages, state)?.scope } = given;
  const named = threadIdOf(config, scope);
  const threadId = named ?? newScope();
  const step = new Step({ input: given, options: resolved, threadId });
  const [{ failures }, known] = [step, step.failures.length];
  const outcome = await runPlan(step, plan, named === undefined ? { scope: threadId } : {});
  return failures.length === known
    ? outcome
    : { ...outcome, state: { ...outcome.state, failures: [...failures] } };
}

async function runPlan<Options extends StepOptions>(
  step: Step<Options>,
  plan: Plan<Options>,
  named: CompactionState,
): Promise<StepOutcome> {
  try {
    const opened = await open(step);
    const drift = step.watchDrift();
    const update = await plan(step);
    const prompt = await step.keepPrompt();
    return await close(step, opened, { ...update, ...drift, ...prompt, ...named, ...step.noteLane() });
  } catch (error) {
    if (mustThrow(error, step)) throw error;
    step.report.fail("compaction", error);
    return { messages: step.settled, prefix: "unrecorded" };
  }
}

/** How the context was opened. */
interface Opened {
  /** The context as it was sent, without stale reasoning. */
  readonly sent: readonly BaseMessage[];
  /** Marks that are valid for `sent`; undefined where the prefix is not recorded. */
  readonly prefix: SentPrefix | "unrecorded" | undefined;
  /** Held originals are back in their places. */
  readonly isHeld: boolean;
}

async function open<Options extends StepOptions>(step: Step<Options>): Promise<Opened> {
  step.settle(await admitFolds(step.messages, step.seal));
  const prefix = await dropEdited(step);
  const sent = step.messages;
  const held = await openHeld(sent, step.read);
  const isHeld = held !== sent;
  if (isHeld) await openOriginals(step, held);
  if (isHeld) step.noteOpening("unfoldedAt");
  const messages = await reconcile(step.messages, step.read);
  // Should the step fail, the context holds its originals as before.
  if (!isHeld) step.settle(messages);
  step.messages = messages;
  step.whole = messages;
  reportCounter(await countAhead(step.options.tokenCounter, messages), step);
  if (!step.overflow && step.input.isBetweenRuns !== true) reportNative(messages, step.report);
  return { sent, prefix, isHeld };
}

/**
 * Removes the reasoning behind what the host has changed since it was sent. Returns the marks that are still valid, and
 * "unrecorded" if the graph has no channel for them or the reasoning could not be archived.
 */
async function dropEdited<Options extends StepOptions>(step: Step<Options>): Promise<Opened["prefix"]> {
  const { state, isReframed = false } = step.input;
  const { sent = step.messages } = step.input;
  if (state === undefined) return "unrecorded";
  const known = state.prefix;
  if (known === undefined) return undefined;
  const changed = changedFrom(sent, known.marks);
  const from = isReframed ? 0 : changed;
  if (from === undefined) return known;
  step.isEdited = true;
  if (changed !== undefined) step.noteOpening("editedAt");
  const prefix = withMarks(known, from);
  // A provider's compaction stays as it is: it is the prefix of everything after it.
  const start = staleStart(sent, Math.max(from, nativeStart(sent) + 1));
  if (start < 0) return prefix;
  const stale = sent.slice(start).filter(hasReasoning);
  const messages = step.nameMessages();
  const isOwn = step.input.sent === undefined;
  const ids = new Set(stale.map(({ id }) => id));
  const rewrite = step.withoutReasoning(messages, {
    isStale: ({ id }, index) => (isOwn ? index >= start : id !== undefined && ids.has(id)),
  });
  const committed = await commitRewrite(rewrite, "edit", step);
  if (committed === undefined) return "unrecorded";
  step.settle(committed.messages);
  return prefix;
}

/**
 * Puts held originals back in their places, so that this step archives them first, without the reasoning that was made after
 * their short form.
 */
async function openOriginals<Options extends StepOptions>(
  step: Step<Options>,
  held: readonly BaseMessage[],
): Promise<void> {
  const admitted = step.messages;
  step.isDown = !(await isBack(admitted, step));
  // Folds inside a held record are genuine, as the seal of its stand-in proves.
  step.messages = (await sealFolds({ messages: held, folds: [] }, step.seal, step)).messages;
  const rewrite = withoutShortReasoning(admitted, step);
  if (rewrite === undefined) return;
  const committed = await commitRewrite(rewrite, "edit", step);
  if (committed !== undefined) step.messages = committed.messages;
  // The end of the step holds the reasoning in state.
  else step.isDown = true;
}

/**
 * Removes the reasoning from the first held original on, because some of it was made after the short form; undefined if there
 * is none.
 */
function withoutShortReasoning<Options extends StepOptions>(
  admitted: readonly BaseMessage[],
  step: Step<Options>,
): Rewrite | undefined {
  const { messages } = step;
  const from = admitted.findIndex((message) => foldOf(message)?.held !== undefined);
  const start = Math.max(from, nativeStart(messages) + 1);
  if (!messages.slice(start).some(hasBoundReasoning)) return undefined;
  return step.withoutReasoning(withIds(messages), { isStale: (_, index) => index >= start });
}

/** Tries to archive one of the held originals, once, so that a step does not wait during a long outage. */
async function isBack<Options extends StepOptions>(
  messages: readonly BaseMessage[],
  step: Step<Options>,
): Promise<boolean> {
  const held = messages.flatMap((message) => foldOf(message)?.held ?? []);
  try {
    await writeArchive(held.slice(0, 1), step.archive, []);
    return true;
  } catch (error) {
    if (mustThrow(error, step)) throw error;
    step.report.fail("archive", error);
    return false;
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
