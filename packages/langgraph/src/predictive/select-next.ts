import type { BaseMessage } from "@langchain/core/messages";
import { dropStaleReasoning, foldOf, type TokenCounter } from "@palimpsest/context";
import { isAi, overflowParts } from "@palimpsest/context/internal";
import { commit, holdRewrite, mustThrow, storeRewrite, type CommitOptions } from "../run/commit.js";
import { intervalOf, isIntervalOver } from "../epochs/rewrite-interval.js";
import type { Reporter } from "../run/reporter.js";
import type { AssembledContext } from "./assemble-context.js";
import type { ResolvedPredictive } from "./predictive-options.js";
import { selectPace } from "./pace/select-pace.js";
import { reserveSteps, type Unfit } from "./reserved/reserve-steps.js";
import { selectReuse } from "./reuse/select-reuse.js";
import type { BackgroundWriting } from "./memory/background-writing.js";
import { openThread, type ThreadMemories } from "./memory/thread-memories.js";
import { ThreadMemory } from "./memory/thread-memory.js";

export interface Selecting {
  readonly messages: readonly BaseMessage[];
  readonly currentContext: readonly BaseMessage[];
  readonly run: CommitOptions;
  /** Name of the memory of these messages. @default the thread's id */
  readonly memory?: string;
  readonly isRewrite: boolean;
}

/**
 * Returns a new selection of the messages, or "unchanged" while the current context is under the budget, or "failed".
 *
 * Every step is archived before it leaves the context. If the archive fails, a context under the budget stays as it is; one
 * over it is selected nevertheless, and the state holds the originals. Any other failure is reported, unless `onError` is
 * "throw". Aborts and graph interrupts pass through.
 */
export async function selectNext(
  { messages, currentContext, run, isRewrite, ...named }: Selecting,
  options: ResolvedPredictive,
  memories: ThreadMemories,
): Promise<readonly BaseMessage[] | "unchanged" | "failed"> {
  const { report, archive } = run;
  const name = named.memory ?? report.threadId;
  const create = () => createMemory(options);
  try {
    if (!isDue(currentContext, messages, options)) {
      const isNear = options.tokenCounter(currentContext) > nearShare * options.budget;
      memories.follow(name, messages, { isRewrite, isNear, create });
      return "unchanged";
    }
    const memory = await memories.sync(name, messages, {
      isRewrite,
      create,
      open: () => openThread(messages, (path) => archive.readText(path)),
    });
    memory.enter();
    const isDown = !(await commit(memory.unwritten, run));
    if (!isDown) memory.unwritten = [];
    if (isDown && options.tokenCounter(currentContext) <= options.budget) return "unchanged";
    const selected = await selectAnew(memory, { currentContext, run: { ...run, isDown } }, options);
    if (isRewrite && selected !== "unchanged") memory.seen = selected;
    return selected;
  } catch (error) {
    memories.forget(name);
    if (mustThrow(error, run)) throw error;
    report.fail("archive", error);
    return "failed";
  }
}

/** Returns a new selection of the steps in the memory, after its originals are archived or held in state. */
async function selectAnew(
  memory: ThreadMemory,
  { currentContext, run }: Pick<Selecting, "currentContext" | "run">,
  options: ResolvedPredictive,
): Promise<readonly BaseMessage[] | "unchanged"> {
  const { report, signal, isDown } = run;
  const { unwritten } = memory;
  const held = new Map(unwritten.map(({ path, content }) => [path, content]));
  const archive = isDown === true ? options.files.archive(report.threadId, held) : run.archive;
  const sized = { ...options, targetFraction: targetFor(currentContext, options) };
  const { unfit, selected: chosen } = await select(memory, {
    options: isDown === true ? withoutModel(sized) : sized,
    currentContext,
    report,
    archive,
    signal,
  });
  if (chosen.folds.length === 0) return "unchanged";
  const selected = dropStaleReasoning(currentContext, asSent(chosen, currentContext), options.tokenCounter);
  // Most records of this selection are those of the last one, which are in the archive.
  const writes = selected.writes.filter(({ path }) => !memory.archivedPaths.has(path));
  const stored = await storeRewrite({ ...selected, writes }, run);
  if (stored !== undefined) {
    memory.archivedPaths = new Set(selected.writes.map(({ path }) => path));
    report.folds(stored.folds, "predicted");
  }
  reportUnfit(unfit, { memory, currentContext, report });
  return stored?.messages ?? holdRewrite({ ...selected, writes: [...unwritten, ...writes] }, run);
}

/** Returns options without a model: while the archive fails, no summaries are written for it. */
function withoutModel(options: ResolvedPredictive): ResolvedPredictive {
  const { model: _, ...rest } = options;
  return rest;
}

/** Returns an empty memory of a thread. */
export function createMemory(options: ResolvedPredictive): ThreadMemory {
  const { policy, tokenCounter: count, model } = options;
  if (policy !== "pace") return new ThreadMemory(options);
  return new ThreadMemory({ ...options, pace: { pace: options, count, hasModel: model !== undefined } });
}

interface SelectionFacts extends Omit<BackgroundWriting, "model" | "summaryTimeoutMs"> {
  readonly options: ResolvedPredictive;
  readonly currentContext: readonly BaseMessage[];
}

async function select(
  memory: ThreadMemory,
  { options, currentContext, ...facts }: SelectionFacts,
): Promise<{ readonly unfit: readonly Unfit[]; readonly selected: AssembledContext }> {
  const { policy, targetFraction, budget, wholeSteps, tokenCounter: count } = options;
  const limits = { budget, target: budget * targetFraction, count };
  const reserved = reserveSteps(memory, limits);
  const shared = { ...limits, reserved, wholeSteps };
  const chosen =
    policy === "pace"
      ? await selectPace(memory, { ...shared, ...facts, options, tokens: count(currentContext) })
      : selectReuse(memory, {
          ...shared,
          currentContext,
          targetFraction,
          showsRangeSummaries: await requestRangeSummaries(memory, {
            ...options,
            ...facts,
            model: options.model,
          }),
        });
  const writes = [...reserved.writes, ...chosen.writes];
  const unfit = [...reserved.unfit, ...overBudget(chosen, options, count(currentContext))];
  return { unfit, selected: { ...chosen, writes, folds: [...reserved.folds, ...chosen.folds] } };
}

/** Starts writing the missing summaries of ranges of old steps; returns whether there is a model to write them. */
async function requestRangeSummaries(memory: ThreadMemory, options: BackgroundWriting): Promise<boolean> {
  if (options.model === undefined) return false;
  const steps = memory.index.chunks.length;
  await memory.ranges.load(steps, memory, options.archive);
  memory.ranges.request(steps, memory, options);
  return true;
}

/** Keeps messages in the form in which they were sent without their reasoning, which the memory still has. */
function asSent(chosen: AssembledContext, currentContext: readonly BaseMessage[]): AssembledContext {
  const sent = new Map(currentContext.map((message) => [message.id, message]));
  const messages = chosen.messages.map((message) => {
    const last = sent.get(message.id);
    return last !== undefined && foldOf(last)?.kind === "reasoning" && foldOf(message) === undefined
      ? last
      : message;
  });
  return { ...chosen, messages };
}

interface ReportOptions {
  readonly memory: ThreadMemory;
  readonly currentContext: readonly BaseMessage[];
  readonly report: Reporter;
}

/** Reports each cause once. A message that is already shortened in the current context was reported before. */
function reportUnfit(unfit: readonly Unfit[], { memory, currentContext, report }: ReportOptions): void {
  const shown = new Set(currentContext.map((message) => foldOf(message)?.id));
  const { threadId } = report;
  for (const { key, event } of unfit) {
    if (memory.reportedCauses.has(key) || shown.has(key)) continue;
    memory.reportedCauses.add(key);
    report.send({ ...event, threadId });
  }
}

/** Returns an event if even the shortest form of what must be sent is over the budget. */
function overBudget(
  { messages }: AssembledContext,
  { tokenCounter, budget, pin }: ResolvedPredictive,
  tokensBefore: number,
): readonly Unfit[] {
  const tokens = tokenCounter(messages);
  if (tokens <= budget) return [];
  const message = `The steps that must be sent take ${tokens} tokens in their shortest form, over the budget of ${budget}: raise the budget`;
  const measure = { overheadTokens: 0, tokenRatio: 1 };
  const parts = overflowParts(messages, { measure, pin, tokenCounter });
  const sizes = { tokensBefore, tokens, window: budget, parts };
  return [{ key: "overflow", event: { type: "context.overflow", reason: "predicted", ...sizes, message } }];
}

/**
 * Returns whether a new selection is due: over the budget, after a new message of the user, with `targetFraction: 1` at each
 * step, and with `from: "start"` from the first step.
 */
function isDue(
  currentContext: readonly BaseMessage[],
  messages: readonly BaseMessage[],
  { tokenCounter, budget, targetFraction, from, every }: ResolvedPredictive,
): boolean {
  if (tokenCounter(currentContext) > budget) return true;
  const last = currentContext.at(-1);
  const selected = currentContext.findLast((message) => foldOf(message)?.kind === "chunk");
  const interval = { every, kinds: chunkKind, limit: budget, tokenCounter };
  if (selected !== undefined && !isIntervalOver(currentContext, interval)) return false;
  const isNew = selected !== undefined && last !== selected && foldOf(selected)?.newest !== last?.id;
  if (targetFraction < 1) return isNew && last?.getType() === "human";
  return isNew || (selected === undefined && (from === "start" || tokenCounter(messages) > budget));
}

/** Minimum share of the budget from which a thread is read step by step, which leaves less to the first selection. */
const nearShare = 0.5;
const chunkKind = new Set(["chunk"] as const);
/** Number of newest steps whose mean size predicts that of the next ones. */
const sampledSteps = 8;
/** Minimum share of the budget that a selection fills, however much the next steps need. */
const minTargetFraction = 0.5;

/** Returns the share of the budget that a selection fills, with room for the steps before the next one. */
function targetFor(
  currentContext: readonly BaseMessage[],
  { every, budget, tokenCounter, targetFraction }: ResolvedPredictive,
): number {
  const interval = intervalOf(every, currentContext);
  if (interval === 1) return targetFraction;
  const room =
    typeof interval === "number"
      ? interval * meanStep(currentContext, tokenCounter)
      : interval.share * budget;
  return Math.min(targetFraction, Math.max(minTargetFraction, 1 - room / budget));
}

/** Returns the mean size of the newest steps; 0 where there is none. */
function meanStep(currentContext: readonly BaseMessage[], tokenCounter: TokenCounter): number {
  const replies = currentContext.flatMap((message, index) => (isAi(message) ? [index] : []));
  const sampled = replies.slice(-sampledSteps);
  return sampled.length === 0 ? 0 : tokenCounter(currentContext.slice(sampled[0])) / sampled.length;
}
