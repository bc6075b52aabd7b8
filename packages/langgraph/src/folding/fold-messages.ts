import { dropStaleReasoning, withIds, type Fold } from "@palimpsest/context";
import type { BaseMessage } from "@langchain/core/messages";
import {
  foldCovered,
  heldOriginals,
  isAi,
  joinRewrites,
  withoutResent,
  withUsage,
} from "@palimpsest/context/internal";
import { compactionDue } from "../compaction/compaction-due.js";
import { isIntervalOver } from "../epochs/rewrite-interval.js";
import { directiveIn, goalsOf, type Goal } from "@palimpsest/context/folding";
import type { CompactInput, CompactOutcome } from "../compaction/compaction-step.js";
import { mustThrow, writeArchive } from "../run/commit.js";
import type { CompactionState } from "../run/context-state.js";
import { notedState } from "../run/node-state.js";
import { reportNative, reporter, type Reporter } from "../run/reporter.js";
import { admitFolds, sealFolds } from "../run/sealed-folds.js";
import { threadIdOf } from "../run-config.js";
import type { ResolvedFoldOptions } from "./fold-options.js";
import { MicroWriter } from "./micro-writer.js";
import { planFold } from "./plan-fold.js";

/**
 * Returns the context with the past as blocks. The node and the middleware share it.
 *
 * Archives first, then applies: a failure leaves the messages as they are and sends an event, unless `onError` is "throw".
 * Aborts and graph interrupts pass through.
 */
export async function foldMessages(
  input: CompactInput,
  options: ResolvedFoldOptions,
): Promise<CompactOutcome> {
  const { messages: before, config } = input;
  const state = input.state ?? notedState(before);
  const threadId = threadIdOf(config, state?.scope);
  if (threadId === undefined) return { messages: before };
  const seal = options.files.seal(threadId);
  const report = reporter(options, config, threadId);
  let admitted = before;
  try {
    admitted = await admitFolds(before, seal);
    // The ladder has to archive held originals first.
    if (heldOriginals(admitted).size > 0) return { messages: admitted };
    const { archive } = options.files.thread(threadId);
    const read = (path: string) => archive.readText(path);
    admitted = await withoutResent(admitted, read);
    const named = withIds(admitted);
    reportNative(admitted, report);
    if (!isFoldDue(named, state, options)) return { messages: admitted };
    const covered = foldCovered(named, { ...options, reason: "step" });
    const { messages } = covered;
    const goals = goalsOf(messages, state?.goals);
    const [signal, goal, pause] = [config?.signal, goals.at(-1)?.text, state?.microPause];
    const writer = new MicroWriter({ options, report, signal, goal, pause });
    const plan = await planFold(messages, { options, read, goals, writer, ...state }).finally(() =>
      reportUsage(writer, report),
    );
    const folded = withUsage({ ...plan, folds: plan.folds.map(({ fold }) => fold) }, writer.usage);
    const rewrite = joinRewrites(covered, dropStaleReasoning(messages, folded, options.tokenCounter));
    await writeArchive(rewrite.writes, archive);
    const sealed = await sealFolds(rewrite, seal);
    report.folds(sealed.folds.slice(0, covered.folds.length), "step");
    reportPlan(sealed.folds.slice(covered.folds.length), { plan, state, report });
    const update = stateUpdate(input.state, { goals, directedBy: plan.directedBy, microPause: writer.pause });
    const changed = rewrite.folds.length === 0 ? admitted : sealed.messages;
    return update === undefined ? { messages: changed } : { messages: changed, state: update };
  } catch (error) {
    if (mustThrow(error, { signal: config?.signal, onError: options.onError })) throw error;
    report.fail("archive", error);
    return { messages: admitted };
  }
}

/** Includes summaries that fail or are not applied, because the provider bills them. */
function reportUsage({ usage }: MicroWriter, report: Reporter): void {
  if (usage !== undefined) report.send({ type: "context.summary", usage, threadId: report.threadId });
}

interface PlanReport {
  readonly plan: Awaited<ReturnType<typeof planFold>>;
  readonly state: CompactionState | undefined;
  readonly report: Reporter;
}

/** Sends each fold with its reason, and a refused directive once. Folds after those of the plan are of dropped reasoning. */
function reportPlan(folds: readonly Fold[], { plan, state, report }: PlanReport): void {
  for (const [index, fold] of folds.entries()) report.folds([fold], plan.folds[index]?.reason ?? "step");
  if (plan.refusal === undefined || plan.directedBy === state?.directedBy) return;
  const refused = { reason: "agent", because: "bad-directive", message: plan.refusal } as const;
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
