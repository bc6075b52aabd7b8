import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type TokenCounter } from "@palimpsest/context";
import { isAi, overflowParts, pinOf, remember, withoutRepeated } from "@palimpsest/context/internal";
import type { Step } from "../run/step.js";
import { intervalOf } from "../epochs/rewrite-interval.js";
import type { Reporter } from "../run/reporter.js";
import type { AssembledContext } from "./assemble-context.js";
import type { ResolvedPredictive } from "./predictive-options.js";
import { prepareAhead } from "./pace/prepare-ahead.js";
import { selectPace } from "./pace/select-pace.js";
import { reserveSteps, type Unfit } from "./reserved/reserve-steps.js";
import { isDue } from "./selection-due.js";
import { selectReuse } from "./reuse/select-reuse.js";
import type { BackgroundWriting } from "./memory/background-writing.js";
import { openThread, type ThreadMemories } from "./memory/thread-memories.js";
import { ThreadMemory } from "./memory/thread-memory.js";

export interface Selecting {
  readonly messages: readonly BaseMessage[];
  readonly currentContext: readonly BaseMessage[];
  readonly step: Step<ResolvedPredictive>;
  readonly isRewrite: boolean;
  /** Messages before these that stay as they are. @default none */
  readonly head?: readonly BaseMessage[];
  /** Tokens that the selection may take. @default the option `budget` */
  readonly budget?: number;
  /** Name of the memory of these messages. @default the thread's id */
  readonly memoryName?: string;
}

/**
 * Puts a new selection in place of the context; does nothing while the context is under the budget.
 *
 * Every step is archived before it leaves the context. If the archive fails, a context under the budget stays as it is; one
 * over it is selected nevertheless, and the state holds the originals.
 */
export async function selectNext(selecting: Selecting, memories: ThreadMemories): Promise<void> {
  const { messages, currentContext, step, isRewrite, memoryName: name = step.report.threadId } = selecting;
  const options = { ...step.options, budget: selecting.budget ?? step.options.budget };
  const create = () => createMemory(options);
  try {
    if (!isDue(currentContext, messages, { ...options, isEdited: step.isEdited })) {
      const isNear = options.tokenCounter(currentContext) > nearShare * options.budget;
      const memory = memories.follow(name, messages, { isRewrite, isNear, create });
      if (memory !== undefined) prepareAhead(memory, step);
      return;
    }
    const records = new Set<string>();
    const read = async (path: string) => {
      const text = await step.read(path);
      records.add(path);
      return text;
    };
    const memory = await memories.sync(name, messages, {
      isRewrite,
      create,
      open: async () => {
        const thread = await openThread(messages, read);
        return isRewrite ? withoutRepeated(thread, step.read) : thread;
      },
    });
    memory.enter(records);
    if (!step.isDown && (await step.write(memory.unwritten))) memory.unwritten = [];
    if (step.isDown && options.tokenCounter(currentContext) <= options.budget) return;
    await selectAnew(memory, selecting, options);
  } catch (error) {
    memories.forget(name);
    throw error;
  }
}

/** Puts a new selection of the steps in the memory in place of the context. */
async function selectAnew(
  memory: ThreadMemory,
  { currentContext, step, isRewrite, head = [] }: Selecting,
  options: ResolvedPredictive,
): Promise<void> {
  // What does not fit is reported below, once.
  step.clips = false;
  const { report, signal, isDown } = step;
  const { unwritten } = memory;
  const held = new Map(unwritten.map(({ path, content }) => [path, content]));
  const archive = isDown ? options.files.archive(report.threadId, held) : step.archive;
  const sized = { ...options, targetFraction: targetFor(currentContext, options) };
  const { unfit, selected: chosen } = await select(memory, {
    options: isDown ? withoutModel(sized) : sized,
    currentContext,
    report,
    archive,
    signal,
  });
  if (chosen.folds.length === 0) return;
  const selected = step.valid(asSent(chosen, currentContext), currentContext);
  // Most records of this selection are those of the last one, which are in the archive.
  const writes = selected.writes.filter(({ path }) => !memory.archivedPaths.has(path));
  const messages = [...head, ...selected.messages];
  const rewrite = { ...selected, messages, writes: [...unwritten, ...writes] };
  if (await step.apply(rewrite, "predicted"))
    memory.archivedPaths = new Set(selected.writes.map(({ path }) => path));
  if (isRewrite) memory.remembered = remember(step.messages.slice(head.length));
  reportUnfit(unfit, { memory, currentContext, report });
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

/** Reports each reason once. A message that is already shortened in the current context was reported before. */
function reportUnfit(unfit: readonly Unfit[], { memory, currentContext, report }: ReportOptions): void {
  const shown = new Set(currentContext.map((message) => foldOf(message)?.id));
  const { threadId } = report;
  for (const { key, event } of unfit) {
    if (memory.reportedReasons.has(key) || shown.has(key)) continue;
    memory.reportedReasons.add(key);
    report.send({ ...event, threadId });
  }
}

/** Returns an event if even the shortest form of what must be sent is over the budget. */
function overBudget(
  { messages }: AssembledContext,
  options: ResolvedPredictive,
  tokensBefore: number,
): readonly Unfit[] {
  const { tokenCounter, budget } = options;
  const tokens = tokenCounter(messages);
  if (tokens <= budget) return [];
  const message = `The steps that must be sent take ${tokens} tokens in their shortest form, over the budget of ${budget}: raise the budget`;
  const measure = { overheadTokens: 0, tokenRatio: 1 };
  const parts = overflowParts(messages, { measure, pin: pinOf(messages, options), tokenCounter });
  const sizes = { tokensBefore, tokens, window: budget, parts };
  return [{ key: "overflow", event: { type: "context.overflow", reason: "predicted", ...sizes, message } }];
}

/** Minimum share of the budget from which a thread is read step by step, which leaves less to the first selection. */
const nearShare = 0.5;
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
