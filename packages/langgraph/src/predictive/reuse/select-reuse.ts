import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { type TokenCounter } from "@palimpsest/context";
import {
  excerptParts,
  leaveOut,
  renderExcerpt,
  selectContext,
  selectOnward,
  type ContextSelection,
  type SelectContextOptions,
} from "@palimpsest/context/selection";
import { assembleContext, type AssembledContext, type StepChoice } from "../assemble-context.js";
import { contextBeginnings, type ContextBeginning } from "./context-beginnings.js";
import type { ReservedSteps } from "../reserved/reserve-steps.js";
import type { ThreadMemory } from "../memory/thread-memory.js";
import { pageSize } from "../memory/step-archive.js";
import type { RangeSummaryPage } from "../memory/range-summaries.js";

export interface SelectOptions {
  /** Tokens that the context may take. */
  readonly budget: number;
  /** Tokens that a new selection takes; only reserved steps may take more. */
  readonly target: number;
  /** The steps that must be sent. */
  readonly reserved: ReservedSteps;
  /** Newest steps that stay whole where they fit. */
  readonly wholeSteps: number;
  readonly count: TokenCounter;
  /** Shows the summaries of ranges of old steps that are written. @default false */
  readonly showsRangeSummaries?: boolean;
}

interface SelectReuseOptions extends SelectOptions {
  /** The current context, whose beginning may stay. */
  readonly currentContext: readonly BaseMessage[];
  /** Share of the budget that `target` is; 1 makes a new selection at each step. */
  readonly targetFraction: number;
}

/** Maximum number of selections until one fits, and how many of them may keep the beginning of the context. */
const maxAttempts = 6;
const maxAttemptsWithBeginning = 3;
/**
 * Maximum number of times that one selection is shortened, and the excess, as a share of its tokens, over which a new selection
 * replaces it.
 */
const maxTrims = 3;
const maxTrimShare = 0.15;
/** Tokens of the notice at the head of the first stand-in. */
const noticeTokens = 85;
/** Share of the budget for the newest steps as whole messages, if a selection stays for several steps. */
const recentShare = 0.12;
/** Share of the target for summaries of ranges of old steps, at most. */
const maxRangeShare = 0.1;
/** Average characters per token. */
const charactersPerToken = 4;
/** Number of stand-ins that the texts of old steps are split into, and the minimum tokens of each. */
const standInCount = 12;
const minStandInTokens = 256;

/**
 * Returns the context by reuse coverage: the reserved steps, and the best selection that fits beside them.
 *
 * A context slightly over `target` loses the blocks that are least likely to be used; one far over it gets a new selection with
 * a smaller limit. If nothing fits beside the reserved steps, only these are sent.
 */
export function selectReuse(memory: ThreadMemory, options: SelectReuseOptions): AssembledContext {
  const { target } = options;
  let room = target - noticeTokens;
  let kept: ContextBeginning | undefined;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const chooseOptions = { ...options, room };
    const chosen = attempt === 0 ? choose(memory, chooseOptions) : chooseBehind(memory, chooseOptions, kept);
    kept = attempt + 1 < maxAttemptsWithBeginning ? chosen.kept : undefined;
    const { assembled, tokens } = trim(memory, chosen, chooseOptions);
    if (tokens <= target) return assembled;
    room -= Math.max(0.05 * target, 1.02 * (tokens - target));
  }
  return assembleContext(
    memory,
    choiceOf(memory, reservedAlone(options), { ...options, room: 0 }),
    options.count,
  );
}

/** Returns the choice of only the reserved steps. */
function reservedAlone({ reserved }: SelectReuseOptions): Chosen {
  const nothing = { excerpts: new Map(), order: [], found: new Set<number>(), tokens: 0, mass: 0 };
  return { selection: { ...nothing, whole: reserved.reasons }, kept: undefined };
}

/** Returns the context with the fewest blocks left out that reaches the target, or untrimmed if that is too far away. */
function trim(memory: ThreadMemory, chosen: Chosen, options: ChooseOptions) {
  const { count, target } = options;
  let { selection } = chosen;
  for (let trims = 0; ; trims++) {
    const assembled = assembleContext(memory, choiceOf(memory, { ...chosen, selection }, options), count);
    const tokens = count(assembled.messages);
    const excess = tokens - target;
    const isFar = trims === maxTrims || excess > maxTrimShare * selection.tokens;
    const shorter = excess <= 0 || isFar ? undefined : leaveOut(selection, excess);
    if (shorter === undefined) return { assembled, tokens };
    selection = shorter;
  }
}

interface ChooseOptions extends SelectReuseOptions {
  /** Tokens that the selection may take. */
  readonly room: number;
}

interface Chosen {
  readonly selection: ContextSelection;
  readonly kept: ContextBeginning | undefined;
}

/** Returns a new selection, or one after the beginning of the context if that is worth keeping. */
function choose(memory: ThreadMemory, options: ChooseOptions): Chosen {
  const { budget, target, room, targetFraction, currentContext, reserved, wholeSteps, count } = options;
  const { length } = memory.index.chunks;
  const unseen = [...reserved.reasons].flatMap(([step, reason]) => (reason === "unseen" ? [step] : []));
  const end = Math.min(length - wholeSteps - 1, ...unseen, ...reserved.texts.keys());
  const beginningOptions = { end, count, reserved: reserved.messages };
  // A summary of many steps is rare, and worth a new beginning.
  const large = rangeSummariesFrom(memory, options).filter(({ size }) => size > pageSize);
  const showsAll = ({ end, texts }: ContextBeginning) =>
    large.every(({ first, text }) => first >= end || texts.some((one) => one.includes(text)));
  const all = targetFraction < 1 ? contextBeginnings(currentContext, memory, beginningOptions) : [];
  const prefixes = all.filter(showsAll);
  const select = selectOptions(memory, options);
  const limit = room + budget - target;
  const { selection, kept } = selectOnward(memory.index, { ...select, prefixes, limit });
  return { selection, kept: prefixes.find((one) => one === kept) };
}

function chooseBehind(
  memory: ThreadMemory,
  options: ChooseOptions,
  kept: ContextBeginning | undefined,
): Chosen {
  const select = selectOptions(memory, options);
  const selection = selectContext(memory.index, kept === undefined ? select : { ...select, kept });
  return selection.tokens > select.budget && kept !== undefined
    ? chooseBehind(memory, options, undefined)
    : { selection, kept };
}

function selectOptions(memory: ThreadMemory, options: ChooseOptions): SelectContextOptions {
  const { room, targetFraction, wholeSteps, count, reserved } = options;
  const summaries = rangeSummariesFrom(memory, options).map(({ text }) => text);
  const texts = [...summaries, ...reserved.texts.values()].join("\n");
  const textTokens = texts === "" ? 0 : count([new HumanMessage(texts)]);
  return {
    budget: Math.max(0, room - textTokens),
    wholeSteps,
    ...(targetFraction < 1 ? { recentShare } : {}),
    // A step that is shown as previews is not sent whole as well.
    canBeWhole: (chunk) => memory.canBeWhole(chunk.index) && !reserved.texts.has(chunk.index),
    reserved: new Map(
      [...reserved.messages].map(([step, messages]) => [
        step,
        { tokens: count(messages), reason: reserved.reasons.get(step) ?? "unseen" },
      ]),
    ),
  };
}

/** Returns the summaries of the ranges from a step on, without the newest page of steps. */
function rangeSummariesFrom(
  memory: ThreadMemory,
  { target, showsRangeSummaries = false }: ChooseOptions,
  from = 0,
): readonly RangeSummaryPage[] {
  if (!showsRangeSummaries) return [];
  const to = memory.index.chunks.length - pageSize;
  const maxCharacters = charactersPerToken * maxRangeShare * target;
  return memory.ranges.between({ from, to, maxCharacters }, memory);
}

function choiceOf(memory: ThreadMemory, { selection, kept }: Chosen, options: ChooseOptions): StepChoice {
  const { reserved, target, targetFraction, room } = options;
  const { index } = memory;
  const { whole, excerpts } = selection;
  const size = Math.max(minStandInTokens, target / standInCount);
  return {
    whole,
    replacements: reserved.messages,
    rangeSummaries: room === 0 ? [] : rangeSummariesFrom(memory, options, kept?.end).filter(isFolded),
    stepsWithText: [...new Set([...excerpts.keys(), ...reserved.texts.keys()])].sort((a, b) => a - b),
    ...(kept === undefined ? {} : { kept }),
    ...(targetFraction < 1 ? { groupsOf } : {}),
    textOf(step) {
      const chunk = index.chunks[step];
      const blocks = excerpts.get(step) ?? [];
      const name = memory.entryOf(step)?.name;
      const excerpt = chunk === undefined || name === undefined ? "" : renderExcerpt(chunk, blocks, name);
      return [reserved.texts.get(step) ?? "", excerpt].filter((text) => text !== "").join("\n");
    },
  };
  function isFolded({ first, size }: RangeSummaryPage): boolean {
    for (let step = first; step < first + size; step++) if (!whole.has(step)) return true;
    return false;
  }
  /** Previews of new results come last. */
  function groupsOf(steps: readonly number[]): readonly (readonly number[])[] {
    const among = new Set(steps.filter((step) => !reserved.texts.has(step)));
    const arriving = steps.filter((step) => reserved.texts.has(step));
    const groups = excerptParts(index, selection, { size, among });
    return arriving.length === 0 ? groups : [...groups, arriving];
  }
}
