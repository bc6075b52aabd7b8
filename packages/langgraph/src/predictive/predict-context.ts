import type { BaseMessage } from "@langchain/core/messages";
import { dropStaleReasoning, foldOf, withIds } from "@palimpsest/context";
import { overflowParts } from "@palimpsest/context/internal";
import { mustThrow, writeArchive } from "../edge/commit.js";
import { reporter, type Reporter } from "../edge/reporter.js";
import { threadIdOf, type NodeConfig } from "../edge/run-config.js";
import type { AssembledContext } from "./assemble-context.js";
import type { ResolvedPredictive } from "./predictive-options.js";
import { selectPace } from "./pace/select-pace.js";
import { reserveSteps, type Unfit } from "./reserved/reserve-steps.js";
import { selectSteps } from "./reuse/select-reuse.js";
import type { WriteFormsOptions } from "./pace/step-representations.js";
import { openThread, type ThreadMemories } from "./memory/thread-memories.js";
import { ThreadMemory } from "./memory/thread-memory.js";

interface PredictInput {
  /** The thread, or with a rewrite the context as it stands with what came since. */
  readonly messages: readonly BaseMessage[];
  /** The context of the step before, where it is kept under a key of its own. */
  readonly context?: readonly BaseMessage[] | undefined;
  readonly config?: NodeConfig | undefined;
}

/**
 * Returns the context for the next step: as it stands while it is under the budget, else selected anew.
 *
 * Every step is in the archive before it is left out. A failure before that returns the messages as they came and an
 * event, unless `onError` is "throw"; aborts and graph interrupts pass through.
 */
export async function predictContext(
  { messages: given, context, config }: PredictInput,
  options: ResolvedPredictive,
  memories: ThreadMemories,
): Promise<readonly BaseMessage[]> {
  const messages = withIds(given);
  const threadId = threadIdOf(config, messages);
  const standing = context === undefined ? messages : continued(messages, context);
  if (threadId === undefined) return unchanged(standing, { messages, given });
  const report = reporter(options, config, threadId);
  const isRewrite = context === undefined;
  try {
    if (!isDue(standing, messages, options)) {
      memories.follow(threadId, messages, { isRewrite });
      return unchanged(standing, { messages, given });
    }
    const archive = options.files.archive(threadId);
    const memory = await memories.sync(threadId, messages, {
      isRewrite,
      create: () => createMemory(options),
      open: () => openThread(messages, archive),
    });
    await memory.archive(archive);
    const facts = { options, standing, report, archive, signal: config?.signal };
    const { unfit, selected: chosen } = await select(memory, facts);
    if (chosen.folds.length === 0) return unchanged(standing, { messages, given });
    const selected = dropStaleReasoning(standing, asSent(chosen, standing), options.tokenCounter);
    // What the last context stands on is in the archive: most of it is what this one stands on.
    const writes = selected.writes.filter(({ path }) => !memory.written.has(path));
    await writeArchive(writes, archive);
    memory.written = new Set(selected.writes.map(({ path }) => path));
    report.folds(selected.folds, "predicted");
    announce(unfit, { memory, standing, report });
    return selected.messages;
  } catch (error) {
    memories.forget(threadId);
    if (mustThrow(error, { signal: config?.signal, onError: options.onError })) throw error;
    report.fail("archive", error);
    return unchanged(standing, { messages, given });
  }
}

/** Returns the memory of a thread with no message in it yet. */
export function createMemory(options: ResolvedPredictive): ThreadMemory {
  const { policy, tokenCounter: count, model } = options;
  if (policy !== "pace") return new ThreadMemory(options);
  return new ThreadMemory({ ...options, pace: { pace: options, count, hasModel: model !== undefined } });
}

interface SelectOptions extends Omit<WriteFormsOptions, "model" | "summaryTimeoutMs"> {
  readonly options: ResolvedPredictive;
  readonly standing: readonly BaseMessage[];
}

async function select(
  memory: ThreadMemory,
  { options, standing, ...facts }: SelectOptions,
): Promise<{ readonly unfit: readonly Unfit[]; readonly selected: AssembledContext }> {
  const { policy, settle, budget, wholeSteps, tokenCounter: count } = options;
  const limits = { budget, target: budget * settle, count };
  const reserved = reserveSteps(memory, limits);
  const given = { ...limits, reserved, wholeSteps };
  const chosen =
    policy === "pace"
      ? await selectPace(memory, { ...given, ...facts, options, tokens: count(standing) })
      : selectSteps(memory, {
          ...given,
          standing,
          settle,
          tellsRanges: await askForRanges(memory, { ...options, ...facts, model: options.model }),
        });
  const writes = [...reserved.writes, ...chosen.writes];
  const unfit = [...reserved.unfit, ...overBudget(chosen, options, count(standing))];
  return { unfit, selected: { ...chosen, writes, folds: [...reserved.folds, ...chosen.folds] } };
}

/** Returns whether summaries of ranges of old steps are written; asks for those that are not there yet. */
async function askForRanges(memory: ThreadMemory, options: WriteFormsOptions): Promise<boolean> {
  if (options.model === undefined) return false;
  const steps = memory.index.chunks.length;
  await memory.ranges.load(steps, memory, options.archive);
  memory.ranges.request(steps, memory, options);
  return true;
}

/** A message that has lost its reasoning stays as it was sent: the memory still holds it whole. */
function asSent(chosen: AssembledContext, standing: readonly BaseMessage[]): AssembledContext {
  const sent = new Map(standing.map((message) => [message.id, message]));
  const messages = chosen.messages.map((message) => {
    const last = sent.get(message.id);
    return last !== undefined && foldOf(last)?.kind === "reasoning" && foldOf(message) === undefined
      ? last
      : message;
  });
  return { ...chosen, messages };
}

interface AnnounceOptions {
  readonly memory: ThreadMemory;
  readonly standing: readonly BaseMessage[];
  readonly report: Reporter;
}

/** Tells the host of each cause once: a message that stands shortened already was told of before. */
function announce(unfit: readonly Unfit[], { memory, standing, report }: AnnounceOptions): void {
  const shown = new Set(standing.map((message) => foldOf(message)?.id));
  const { threadId } = report;
  for (const { key, event } of unfit) {
    if (memory.announced.has(key) || shown.has(key)) continue;
    memory.announced.add(key);
    report.send({ ...event, threadId });
  }
}

/** What to tell the host where even the shortest form of what must be sent is over the budget. */
function overBudget(
  { messages }: AssembledContext,
  { tokenCounter, budget, pin }: ResolvedPredictive,
  tokensBefore: number,
): readonly Unfit[] {
  const tokens = tokenCounter(messages);
  if (tokens <= budget) return [];
  const message = `What must be sent takes ${tokens} tokens in its shortest form, over the budget of ${budget}: raise it`;
  const measure = { overheadTokens: 0, tokenRatio: 1 };
  const parts = overflowParts(messages, { measure, pin, tokenCounter });
  const sizes = { tokensBefore, tokens, window: budget, parts };
  return [{ key: "floor", event: { type: "context.overflow", reason: "predicted", ...sizes, message } }];
}

interface Lists {
  readonly messages: readonly BaseMessage[];
  readonly given: readonly BaseMessage[];
}

/** The very list that came in, where nothing is changed: a node then writes nothing. */
function unchanged(standing: readonly BaseMessage[], { messages, given }: Lists): readonly BaseMessage[] {
  return standing === messages ? given : standing;
}

/**
 * True when the context is over the budget, when the user has spoken since it was selected, and at each step where it is to
 * be selected anew at each: from the first on with `from: "start"`.
 */
function isDue(
  standing: readonly BaseMessage[],
  messages: readonly BaseMessage[],
  { tokenCounter, budget, settle, from }: ResolvedPredictive,
): boolean {
  if (tokenCounter(standing) > budget) return true;
  const last = standing.at(-1);
  const selected = standing.findLast((message) => foldOf(message)?.kind === "chunk");
  const isNew = selected !== undefined && last !== selected && foldOf(selected)?.newest !== last?.id;
  if (settle < 1) return isNew && last?.getType() === "human";
  return isNew || (selected === undefined && (from === "start" || tokenCounter(messages) > budget));
}

/** The context of the step before with what the thread has got since; the thread, where the two do not fit together. */
function continued(thread: readonly BaseMessage[], context: readonly BaseMessage[]): readonly BaseMessage[] {
  const last = context.at(-1);
  const id = last === undefined ? undefined : (foldOf(last)?.newest ?? last.id);
  const at = id === undefined ? -1 : thread.findLastIndex((message) => message.id === id);
  return at < 0 ? thread : [...context, ...thread.slice(at + 1)];
}
