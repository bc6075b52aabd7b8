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
import type { ToldPage } from "../memory/told-pages.js";

export interface SelectStepsOptions {
  /** Tokens that the context may take. */
  readonly budget: number;
  /** Tokens to which a selection is made; only what is reserved may take more. */
  readonly target: number;
  /** What is sent in any case. */
  readonly reserved: ReservedSteps;
  /** Newest steps that stay whole where they fit. */
  readonly wholeSteps: number;
  readonly count: TokenCounter;
  /** Summaries of ranges of old steps are told, as far as they are written. @default false */
  readonly tellsRanges?: boolean;
}

interface SelectOnOptions extends SelectStepsOptions {
  /** The context as it stands, of which the beginning may stay. */
  readonly standing: readonly BaseMessage[];
  /** Share of the budget of a full context that `target` is; 1 selects anew at each step. */
  readonly settle: number;
}

/** Selections that are made until one fits, and those with a kept beginning. */
const tries = 6;
const keptTries = 3;
/** Times that a selection is shortened before another is made, and the share of its tokens over which that is not tried. */
const trims = 3;
const mostTrimmed = 0.15;
/** Tokens of the notice at the head of the first stand-in. */
const noticeTokens = 85;
/** Share of the budget that newest steps take whole where they come whole in any case, until the next selection. */
const settledShare = 0.12;
/** Share of the budget that summaries of ranges of old steps take at most. */
const rangeShare = 0.1;
/** Messages that what is told of old steps is cut into, and tokens of each at least. */
const parts = 12;
const leastPart = 256;

/**
 * Returns the context by reuse coverage: what is reserved, and the best selection that fits beside it.
 *
 * Where the assembled context comes to more than `target`, the blocks that promise least are left out; where it comes to
 * far more, another selection is made for as much less. What is reserved is sent in any case, alone where nothing fits
 * beside it.
 */
export function selectSteps(memory: ThreadMemory, options: SelectOnOptions): AssembledContext {
  const { target } = options;
  let room = target - noticeTokens;
  let kept: ContextBeginning | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    const made = { ...options, room };
    const onward = attempt === 0 ? choose(memory, made) : chooseBehind(memory, made, kept);
    kept = attempt + 1 < keptTries ? onward.kept : undefined;
    const { assembled, tokens } = trimmed(memory, onward, made);
    if (tokens <= target) return assembled;
    room -= Math.max(0.05 * target, 1.02 * (tokens - target));
  }
  return assembleContext(
    memory,
    choiceOf(memory, reservedAlone(options), { ...options, room: 0 }),
    options.count,
  );
}

/** The choice of nothing but what is reserved. */
function reservedAlone({ reserved }: SelectOnOptions): Chosen {
  const nothing = { excerpts: new Map(), order: [], found: new Set<number>(), tokens: 0, mass: 0 };
  return { selection: { ...nothing, whole: reserved.reasons }, kept: undefined };
}

/** The context with as few blocks left out as bring it to the target; what was chosen, where that is too far away. */
function trimmed(memory: ThreadMemory, chosen: Chosen, options: ChooseOptions) {
  const { count, target } = options;
  let { selection } = chosen;
  for (let trim = 0; ; trim++) {
    const assembled = assembleContext(memory, choiceOf(memory, { ...chosen, selection }, options), count);
    const tokens = count(assembled.messages);
    const excess = tokens - target;
    const isFar = trim === trims || excess > mostTrimmed * selection.tokens;
    const shorter = excess <= 0 || isFar ? undefined : leaveOut(selection, excess);
    if (shorter === undefined) return { assembled, tokens };
    selection = shorter;
  }
}

interface ChooseOptions extends SelectOnOptions {
  /** Tokens that the selection may take. */
  readonly room: number;
}

interface Chosen {
  readonly selection: ContextSelection;
  readonly kept: ContextBeginning | undefined;
}

/** A selection anew, or behind the beginning of the context that is worth its stay. */
function choose(memory: ThreadMemory, options: ChooseOptions): Chosen {
  const { budget, target, room, settle, standing, reserved, wholeSteps, count } = options;
  const { length } = memory.index.chunks;
  const unseen = [...reserved.reasons].flatMap(([step, reason]) => (reason === "unseen" ? [step] : []));
  const most = Math.min(length - wholeSteps - 1, ...unseen, ...reserved.texts.keys());
  const held = { most, count, reserved: reserved.messages };
  // A summary of many steps comes rarely and is worth a new beginning.
  const large = rangesBehind(memory, options).filter(({ size }) => size > pageSize);
  const tellsAll = ({ end, texts }: ContextBeginning) =>
    large.every(({ first, text }) => first >= end || texts.some((one) => one.includes(text)));
  const standingOnes = settle < 1 ? contextBeginnings(standing, memory, held) : [];
  const beginnings = standingOnes.filter(tellsAll);
  const select = selectOptions(memory, options);
  const limit = room + budget - target;
  const { selection, kept } = selectOnward(memory.index, { ...select, beginnings, limit });
  return { selection, kept: beginnings.find((one) => one === kept) };
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
  const { room, settle, wholeSteps, count, reserved } = options;
  const ranges = rangesBehind(memory, options).map(({ text }) => text);
  const told = [...ranges, ...reserved.texts.values()].join("\n");
  const toldTokens = told === "" ? 0 : count([new HumanMessage(told)]);
  return {
    budget: Math.max(0, room - toldTokens),
    wholeSteps,
    ...(settle < 1 ? { recentShare: settledShare } : {}),
    // A step that is told by previews is told so once, and not whole beside it.
    canBeWhole: (chunk) => memory.canBeWhole(chunk.index) && !reserved.texts.has(chunk.index),
    reserved: new Map(
      [...reserved.messages].map(([step, messages]) => [
        step,
        { tokens: count(messages), reason: reserved.reasons.get(step) ?? "unseen" },
      ]),
    ),
  };
}

/** What is told of ranges of steps behind a kept beginning: of those that are over for some steps. */
function rangesBehind(
  memory: ThreadMemory,
  { target, tellsRanges = false }: ChooseOptions,
  from = 0,
): readonly ToldPage[] {
  if (!tellsRanges) return [];
  const to = memory.index.chunks.length - pageSize;
  return memory.ranges.told({ from, to, limit: 4 * rangeShare * target }, memory);
}

function choiceOf(memory: ThreadMemory, { selection, kept }: Chosen, options: ChooseOptions): StepChoice {
  const { reserved, target, settle, room } = options;
  const { index } = memory;
  const { whole, excerpts } = selection;
  const size = Math.max(leastPart, target / parts);
  return {
    whole,
    sent: reserved.messages,
    ranges: room === 0 ? [] : rangesBehind(memory, options, kept?.end).filter(isFolded),
    told: [...new Set([...excerpts.keys(), ...reserved.texts.keys()])].sort((a, b) => a - b),
    ...(kept === undefined ? {} : { kept }),
    ...(settle < 1 ? { parts: partsOf } : {}),
    textOf(step) {
      const chunk = index.chunks[step];
      const blocks = excerpts.get(step) ?? [];
      const name = memory.placeOf(step)?.name;
      const excerpt = chunk === undefined || name === undefined ? "" : renderExcerpt(chunk, blocks, name);
      return [reserved.texts.get(step) ?? "", excerpt].filter((text) => text !== "").join("\n");
    },
  };
  function isFolded({ first, size }: ToldPage): boolean {
    for (let step = first; step < first + size; step++) if (!whole.has(step)) return true;
    return false;
  }
  /** Previews of what is new come last, as they came. */
  function partsOf(steps: readonly number[]): readonly (readonly number[])[] {
    const among = new Set(steps.filter((step) => !reserved.texts.has(step)));
    const arriving = steps.filter((step) => reserved.texts.has(step));
    const made = excerptParts(index, selection, { size, among });
    return arriving.length === 0 ? made : [...made, arriving];
  }
}
