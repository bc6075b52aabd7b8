import { withIds } from "@palimpsest/context";
import type { BaseMessage } from "@langchain/core/messages";
import { foldCovered, isAi, isUserMessage, joinRewrites, withUsage } from "@palimpsest/context/internal";
import { compactionDue } from "../compaction/compaction-due.js";
import { withPins } from "../compaction/pins.js";
import { isIntervalOver } from "../epochs/rewrite-interval.js";
import { directiveIn, goalsOf, type Goal } from "@palimpsest/context/folding";
import type { CompactionState } from "../run/context-state.js";
import type { Reporter } from "../run/reporter.js";
import type { Step } from "../run/step.js";
import type { ResolvedFoldOptions } from "./fold-options.js";
import { MicroWriter } from "./micro-writer.js";
import { planFold } from "./plan-fold.js";
import { FoldRegret } from "./regret.js";

/** The plan that puts blocks in place of the past. The node and the middleware share it. */
export async function foldPast(step: Step<ResolvedFoldOptions>): Promise<CompactionState | undefined> {
  const { report, known, input } = step;
  const named = withIds(step.messages);
  if (step.isDown || !isFoldDue(named, known, step.options)) return undefined;
  step.messages = named;
  const regret = new FoldRegret(step);
  const options = { ...regret.options, ...withPins(named, step.options) };
  const covered = foldCovered(named, { ...options, reason: "step" });
  const { messages } = covered;
  const goals = goalsOf(messages, known?.goals);
  const [signal, goal, pause] = [step.signal, goals.at(-1)?.text, known?.microPause];
  const words = messages.filter(isUserMessage);
  const writer = new MicroWriter({ options, report, signal, goal, words, pause });
  const planning = { options, read: step.readShared, goals, writer, ...known };
  const plan = await planFold(messages, planning).finally(() => reportUsage(writer, report));
  const planned = withUsage(plan, writer.usage);
  const rewrite = joinRewrites(covered, step.valid(planned, messages));
  const isApplied = rewrite.folds.length === 0 || (await step.apply(rewrite, "step"));
  reportRefusal(plan, known, report);
  const { directedBy } = isApplied ? plan : {};
  const update = stateUpdate(input.state, { goals, directedBy, microPause: writer.pause });
  return regret.finish(update, { before: named, after: step.messages, report });
}

/** Includes summaries that fail or are not applied, because the provider bills them. */
function reportUsage({ usage }: MicroWriter, report: Reporter): void {
  if (usage !== undefined) report.send({ type: "context.summary", usage, threadId: report.threadId });
}

/** Reports a refused directive once. */
function reportRefusal(
  { refusal, directedBy }: Awaited<ReturnType<typeof planFold>>,
  known: CompactionState | undefined,
  report: Reporter,
): void {
  if (refusal === undefined || directedBy === known?.directedBy) return;
  const refused = { due: "agent", reason: "bad-directive", message: refusal } as const;
  report.send({ type: "context.skip", ...refused, threadId: report.threadId });
}

const blockKinds = new Set(["micro", "macro"] as const);

/** Returns whether to fold now: the interval is over, the trigger is met, or the agent gives a directive. */
function isFoldDue(
  messages: readonly BaseMessage[],
  state: CompactionState | undefined,
  options: ResolvedFoldOptions,
): boolean {
  const { every, contextWindow: limit, tokenCounter } = options;
  if (isIntervalOver(messages, { every, kinds: blockKinds, limit, tokenCounter })) return true;
  if (compactionDue(messages, options, state).reason !== undefined) return true;
  // A directive for an interaction that may stay in full is read only while the interaction is the newest.
  return options.condense === "on-directive" || options.inFull !== undefined
    ? directiveIn(messages.findLast((message) => isAi(message))) !== undefined
    : false;
}

interface FoldMemory {
  readonly goals: readonly Goal[];
  readonly directedBy: string | undefined;
  readonly microPause: CompactionState["microPause"];
}

/** Returns only the changed fields, or undefined, because every update costs a checkpoint. */
function stateUpdate(
  state: CompactionState | undefined,
  { goals, directedBy, microPause }: FoldMemory,
): CompactionState | undefined {
  const update = {
    ...(goals === state?.goals || goals.length === 0 ? {} : { goals }),
    ...(directedBy === undefined || directedBy === state?.directedBy ? {} : { directedBy }),
    ...(microPause === state?.microPause ? {} : { microPause }),
  };
  return Object.keys(update).length === 0 ? undefined : update;
}
