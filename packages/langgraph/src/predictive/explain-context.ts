import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import {
  selectContext,
  type Atom,
  type Block,
  type PaceLevel,
  type ReuseIndex,
  type WholeReason,
} from "@palimpsest/context/selection";
import {
  heldFirst,
  nativeBlocks,
  nativeHead,
  nativeStart,
  nativeText,
  readMessages,
} from "@palimpsest/context/internal";
import type { Archive } from "@palimpsest/vfs";
import { contextIn, scopeOf } from "../run/node-state.js";
import { threadIdOf } from "../run-config.js";
import type { ThreadConfig, ThreadGraph } from "../threads/thread-graph.js";
import { explainPace, paceFoldOf, type ExplainedPace } from "./pace/explain-pace.js";
import { createMemory } from "./select-next.js";
import {
  resolvePredictive,
  type PredictiveContextOptions,
  type ResolvedPredictive,
} from "./predictive-options.js";
import { openThread } from "./memory/thread-memories.js";
import { requireOptions } from "../options/require-options.js";

/** How a step is shown in the context, and why. */
export interface ExplainedStep {
  /** Number of the step from 0; -1 for a compaction by the provider, which precedes them. */
  readonly step: number;
  /** How the step begins. */
  readonly title: string;
  /** With `policy: "pace"` one of its levels: `full`, `detailed`, `brief` or `placeholder`. */
  readonly level: "whole" | "excerpt" | "summary" | "archived" | "native" | PaceLevel;
  /** One or more sentences. */
  readonly reason: string;
  /** The facts behind the level, if PACE chose it. */
  readonly pace?: ExplainedPace;
}

const reasons: Readonly<Record<WholeReason, string>> = {
  unseen: "The model has not seen its results yet.",
  newest: "It is one of the newest steps.",
  "first-user": "It is the first message of the user.",
  "newest-user": "It is the newest message of the user.",
  user: "It is a message of the user.",
  pinned: "It is pinned.",
  recent: "It is recent and fits.",
};

/**
 * Returns how each step of a thread is shown in the context, and why. Changes nothing.
 *
 * The levels are read from the context in the state; the reasons are recomputed from the thread. For a context that PACE
 * selected, each step also has its weight, the pressure and the thresholds; `embeddings` encodes the query once more.
 * @throws ContextError when an option cannot work; the archive's error when an original is missing.
 */
export async function explainContext(
  graph: Pick<ThreadGraph, "getState">,
  config: ThreadConfig,
  options: PredictiveContextOptions,
): Promise<readonly ExplainedStep[]> {
  requireOptions(options, "explainContext");
  const resolved = resolvePredictive(options);
  const { files, inputKey, outputKey, budget, tokenCounter } = resolved;
  const { values } = await graph.getState(config);
  const state = values as Readonly<Record<string, BaseMessage[] | undefined>>;
  const context = contextIn(state, { inputKey, outputKey });
  const messages = state[inputKey] ?? [];
  const threadId = threadIdOf(config, scopeOf(state, messages));
  const whole = threadId === undefined ? messages : await wholeThread(messages, files.archive(threadId));
  const end = nativeHead(whole);
  const head = whole.slice(0, end);
  const behind = { ...resolved, budget: Math.max(1, budget - tokenCounter(readMessages(head))) };
  const explained = { thread: whole.slice(end), context, options: end === 0 ? resolved : behind };
  const paceFold = paceFoldOf(context);
  const isPaced = paceFold !== undefined && threadId !== undefined;
  const steps = isPaced ? await pacedSteps(paceFold, threadId, explained) : reusedSteps(explained);
  return [...explainHead(head), ...steps];
}

/** The subject of an explanation: the thread after the newest compaction by the provider, the context, and its options. */
interface Explained {
  readonly thread: readonly BaseMessage[];
  readonly context: readonly BaseMessage[];
  readonly options: ResolvedPredictive;
}

/** Explains the newest compaction by the provider; empty if there is none. */
function explainHead(head: readonly BaseMessage[]): readonly ExplainedStep[] {
  const compaction = head[nativeStart(head)];
  if (compaction === undefined) return [];
  const title = nativeBlocks(compaction).map(nativeText).join(" ").trim().slice(0, 60);
  const reason = "It is a compaction of the provider: the model reads it in place of all before it.";
  return [{ step: -1, title, level: "native", reason }];
}

async function pacedSteps(
  fold: NonNullable<ReturnType<typeof paceFoldOf>>,
  threadId: string,
  explained: Explained,
): Promise<readonly ExplainedStep[]> {
  const memory = createMemory({ ...explained.options, policy: "pace" });
  const steps = await explainPace(fold, { ...explained, memory, threadId });
  return steps.map(({ whole, reason, ...step }) => {
    const title = memory.index.chunks[step.step]?.title ?? "";
    return { ...step, title, reason: whole === undefined ? reason : reasons[whole] };
  });
}

function reusedSteps({ thread, context, options }: Explained): readonly ExplainedStep[] {
  const { budget, targetFraction, wholeSteps } = options;
  const memory = createMemory({ ...options, policy: "reuse" });
  memory.append(thread);
  const canBeWhole = ({ index }: { readonly index: number }) => memory.canBeWhole(index);
  const { whole, excerpts } = selectContext(memory.index, {
    budget: budget * targetFraction,
    wholeSteps,
    canBeWhole,
  });
  const sent = new Set(context.map(({ id }) => id));
  const texts = context.flatMap((message) => (foldOf(message)?.kind === "chunk" ? [message.text] : []));
  const shown = shownSteps(texts);
  const ranges = texts.flatMap(summarizedRanges);
  return memory.index.chunks.map(({ index: step, title, blocks }) => {
    const isWhole = memory.firstIdOf(step) !== undefined && sent.has(memory.firstIdOf(step));
    if (isWhole) return { step, title, level: "whole", reason: reasonOfWhole(whole.get(step)) };
    const level = shown.has(step) ? "excerpt" : "archived";
    const range = ranges.find(({ first, last }) => step >= first && step <= last);
    if (level === "archived" && range !== undefined) return { step, title, ...summarized(range) };
    const reason = reasonOfBlock(memory.index, excerpts.get(step) ?? blocks, level);
    return { step, title, level, reason };
  });
}

function wholeThread(messages: readonly BaseMessage[], archive: Archive): Promise<readonly BaseMessage[]> {
  return openThread(
    messages,
    heldFirst(messages, (path) => archive.readText(path)),
  );
}

interface StepRange {
  readonly first: number;
  readonly last: number;
}

function summarized({ first, last }: StepRange) {
  return { level: "summary", reason: `It is in the summary of steps ${first} to ${last}.` } as const;
}

function reasonOfWhole(whole: WholeReason | undefined): string {
  return whole === undefined
    ? "It came after the last selection, which stays while it fits."
    : reasons[whole];
}

/** Returns the steps that the stand-ins show lines of. */
function shownSteps(texts: readonly string[]): ReadonlySet<number> {
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/^\[(\d+)-[0-9a-f]{6}:\d+\]$/gm)].map(([, step]) => Number(step)),
    ),
  );
}

function summarizedRanges(text: string): readonly StepRange[] {
  return [...text.matchAll(/^\[steps (\d+) to (\d+), summarized: \/context\/steps\/pages\//gm)].map(
    ([, first, last]) => ({ first: Number(first), last: Number(last) }),
  );
}

function reasonOfBlock(
  { atoms, chunks }: ReuseIndex,
  blocks: readonly Block[],
  level: "excerpt" | "archived",
): string {
  const numbers = [...new Set(blocks.flatMap((block) => block.atoms))];
  const best = numbers
    .map((number) => atoms.atom(number))
    .sort((a, b) => b.probability - a.probability)
    .slice(0, 3);
  if (best.length === 0) return "Nothing in it is a name, a number or a line that a call could use.";
  const facts = best.map((atom) => describeAtom(atom, chunks.length)).join("; ");
  return level === "excerpt"
    ? `The next call may use ${facts}.`
    : `Other lines promise more for their size, or show the same. Its best: ${facts}.`;
}

function describeAtom({ text, probability, uses, last }: Atom, now: number): string {
  const used = uses === 0 ? "in no call yet" : `in the calls of ${uses} steps`;
  return `"${text.trim().slice(0, 60)}" (${(100 * probability).toFixed(2)} %, ${used}, last seen ${now - last} steps ago)`;
}
