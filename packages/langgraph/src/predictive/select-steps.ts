import type { BaseMessage } from "@langchain/core/messages";
import {
  excerptParts,
  leaveOut,
  messageText,
  renderExcerpt,
  selectContext,
  selectOnward,
  toolCalls,
  type ContextSelection,
  type SelectContextOptions,
  type TokenCounter,
} from "@palimpsest/context";
import { assembleContext, type AssembledContext, type StepChoice } from "./assemble-context.js";
import { contextBeginnings, type ContextBeginning } from "./context-beginnings.js";
import type { ThreadMemory } from "./thread-memory.js";
import { pageSize } from "./step-archive.js";
import type { ToldPage } from "./told-pages.js";
import { unseenSteps, type UnseenSteps } from "./unseen-steps.js";

export interface SelectStepsOptions {
  /** Tokens of the counter. */
  readonly budget: number;
  readonly wholeSteps: number;
  readonly count: TokenCounter;
  /** Summaries of ranges of old steps are told, as far as they are written. @default false */
  readonly tellsRanges?: boolean;
}

interface SelectOnOptions extends SelectStepsOptions {
  /** The context as it stands, of which the beginning may stay. */
  readonly standing: readonly BaseMessage[];
  /** Share of the budget of a full context that `budget` is; 1 selects anew at each step. */
  readonly settle: number;
}

/** Selections that are made until one is under the budget on the counter's scale, and those with a kept beginning. */
const tries = 6;
const keptTries = 3;
/** Times that a selection is shortened before another is made, and the share of its tokens over which that is not tried. */
const trims = 3;
const mostTrimmed = 0.15;
/** Of what the counter's scale allows, and what a scale is taken for at least and at most. */
const margin = 0.99;
const leastShare = 0.25;
const mostShare = 1.25;
/** Share of the budget that results take which the model has not been shown, and that is left for the user's words. */
const wholeShare = 0.85;
const mostUserShare = 0.35;
/** Share of the budget that newest steps take whole where they come whole in any case, until the next selection. */
const settledShare = 0.12;
/** Share of the budget that summaries of ranges of old steps take at most. */
const rangeShare = 0.1;
/** Messages that what is told of old steps is cut into, and tokens of each at least. */
const parts = 12;
const leastPart = 256;

/**
 * Returns the context by reuse coverage, at most `budget` tokens on the counter's scale; undefined when what is left at
 * the last try is still more.
 *
 * What the model has not been shown arrives whole or as a preview. A selection is made in characters, by how many of them
 * the counter sees in a token of the context as it stands; where it comes to more, the blocks that promise least are left
 * out, and only where it comes to far more is another made.
 */
export function selectSteps(memory: ThreadMemory, options: SelectOnOptions): AssembledContext | undefined {
  const { budget, count } = options;
  let share = firstShare(options);
  let kept: ContextBeginning | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    const limit = Math.min(1, share) * (wholeShare * budget - userTokens(memory, options));
    const unseen = unseenSteps(memory, { limit, count });
    const made = { ...options, budget: share * budget, unseen };
    const onward = attempt === 0 ? choose(memory, made) : chooseBehind(memory, made, kept);
    kept = attempt + 1 < keptTries ? onward.kept : undefined;
    const { assembled, tokens } = shortened(memory, onward, { ...made, most: budget, share });
    if (tokens <= budget) {
      const writes = [...unseen.writes, ...assembled.writes];
      return { ...assembled, writes, folds: [...unseen.folds, ...assembled.folds] };
    }
    share *= Math.min(0.95, (budget / tokens) * 0.98);
  }
  return undefined;
}

interface ShortenOptions extends ChooseOptions {
  /** Tokens of the counter. */
  readonly most: number;
  /** Tokens of four characters in one of them. */
  readonly share: number;
}

/** The context with as few blocks left out as bring it under `most`; what was chosen, where that is too far away. */
function shortened(memory: ThreadMemory, chosen: Chosen, options: ShortenOptions) {
  const { count, most, share } = options;
  let { selection } = chosen;
  for (let trim = 0; ; trim++) {
    const assembled = assembleContext(memory, choiceOf(memory, { ...chosen, selection }, options), count);
    const tokens = count(assembled.messages);
    const excess = (tokens - most) * share;
    const isFar = trim === trims || excess > mostTrimmed * selection.tokens;
    const shorter = excess <= 0 || isFar ? undefined : leaveOut(selection, 1.05 * excess);
    if (shorter === undefined) return { assembled, tokens };
    selection = shorter;
  }
}

/** How many tokens of four characters the counter sees in one of its own, by what stands now. */
function firstShare({ standing, count }: SelectOnOptions): number {
  const characters = standing.reduce((sum, message) => {
    const calls = toolCalls(message).map(({ name, args }) => name.length + JSON.stringify(args).length);
    return sum + messageText(message).length + calls.reduce((total, length) => total + length, 0);
  }, 0);
  return margin * Math.min(mostShare, Math.max(leastShare, characters / 4 / Math.max(1, count(standing))));
}

/** Tokens to leave to the first and the newest message of the user, which come before all else that was seen. */
function userTokens(memory: ThreadMemory, { budget, count }: SelectStepsOptions): number {
  const { users, newestUser } = memory.index;
  const steps = new Set([users[0]?.index, newestUser?.index]);
  const messages = [...steps].flatMap((step) => (step === undefined ? [] : (memory.messagesOf(step) ?? [])));
  return Math.min(mostUserShare * budget, count(messages));
}

interface ChooseOptions extends SelectOnOptions {
  readonly unseen: UnseenSteps;
}

interface Chosen {
  readonly selection: ContextSelection;
  readonly kept: ContextBeginning | undefined;
}

/** A selection anew, or behind the beginning of the context that is worth its stay. */
function choose(memory: ThreadMemory, options: ChooseOptions): Chosen {
  const { budget, settle, standing, unseen, wholeSteps } = options;
  const { length } = memory.index.chunks;
  const arriving = [...unseen.messages.keys(), ...unseen.texts.keys()];
  const most = Math.min(length - wholeSteps - 1, ...arriving);
  const beginnings = settle < 1 ? contextBeginnings(standing, memory, most) : [];
  const select = selectOptions(memory, options);
  const { selection, kept } = selectOnward(memory.index, { ...select, beginnings, limit: budget / settle });
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
  const { budget, settle, wholeSteps, count, unseen } = options;
  const { index } = memory;
  const rangeTokens = rangesBehind(memory, options).reduce((sum, { text }) => sum + text.length / 4, 0);
  const previews = [...unseen.texts.values()].reduce((sum, text) => sum + text.length / 4, 0);
  return {
    budget: Math.max(0, budget - previews - rangeTokens),
    wholeSteps,
    ...(settle < 1 ? { recentShare: settledShare } : {}),
    // A step that is told by previews is told so once, and not whole beside it.
    canBeWhole: (chunk) => memory.canBeWhole(chunk.index) && !unseen.texts.has(chunk.index),
    unseen: new Map([...unseen.messages].map(([step, messages]) => [step, tokensOf(step, messages)])),
  };
  function tokensOf(step: number, messages: readonly BaseMessage[]): number {
    const isWhole = messages.every((message, at) => message === memory.keptMessagesOf(step)[at]);
    return isWhole ? (index.chunks[step]?.tokens ?? 0) : count(messages);
  }
}

/** What is told of ranges of steps behind a kept beginning: of those that are over for some steps. */
function rangesBehind(
  memory: ThreadMemory,
  { budget, tellsRanges = false }: ChooseOptions,
  from = 0,
): readonly ToldPage[] {
  if (!tellsRanges) return [];
  const to = memory.index.chunks.length - pageSize;
  return memory.ranges.told({ from, to, limit: 4 * rangeShare * budget }, memory);
}

function choiceOf(memory: ThreadMemory, { selection, kept }: Chosen, options: ChooseOptions): StepChoice {
  const { unseen, budget, settle } = options;
  const { index } = memory;
  const { whole, excerpts } = selection;
  const size = Math.max(leastPart, budget / parts);
  return {
    whole,
    sent: unseen.messages,
    ranges: rangesBehind(memory, options, kept?.end).filter(isFolded),
    told: [...new Set([...excerpts.keys(), ...unseen.texts.keys()])].sort((a, b) => a - b),
    ...(kept === undefined ? {} : { kept }),
    ...(settle < 1 ? { parts: partsOf } : {}),
    textOf(step) {
      const chunk = index.chunks[step];
      const blocks = excerpts.get(step) ?? [];
      const name = memory.placeOf(step)?.name;
      const excerpt = chunk === undefined || name === undefined ? "" : renderExcerpt(chunk, blocks, name);
      return [unseen.texts.get(step) ?? "", excerpt].filter((text) => text !== "").join("\n");
    },
  };
  function isFolded({ first, size }: ToldPage): boolean {
    for (let step = first; step < first + size; step++) if (!whole.has(step)) return true;
    return false;
  }
  /** Previews of what is new come last, as they came. */
  function partsOf(steps: readonly number[]): readonly (readonly number[])[] {
    const among = new Set(steps.filter((step) => !unseen.texts.has(step)));
    const arriving = steps.filter((step) => unseen.texts.has(step));
    const made = excerptParts(index, selection, { size, among });
    return arriving.length === 0 ? made : [...made, arriving];
  }
}
