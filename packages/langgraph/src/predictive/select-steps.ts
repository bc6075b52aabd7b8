import type { BaseMessage } from "@langchain/core/messages";
import {
  excerptParts,
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
import { unseenSteps, type UnseenSteps } from "./unseen-steps.js";

export interface SelectStepsOptions {
  /** Tokens of the counter. */
  readonly budget: number;
  readonly wholeSteps: number;
  readonly count: TokenCounter;
}

export interface SelectOnOptions extends SelectStepsOptions {
  /** The context as it stands, of which the beginning may stay. */
  readonly standing: readonly BaseMessage[];
  /** Share of the budget of a full context that `budget` is; 1 selects anew at each step. */
  readonly settle: number;
}

/** Tries that a selection has to come under the budget on the counter's scale, and those with a kept beginning. */
const tries = 6;
const keptTries = 3;
/** Of what the counter's scale allows, and the least that a scale is taken for. */
const margin = 0.97;
const leastShare = 0.25;
/** Share of the budget that results take which the model has not been shown, and that is left for the user's words. */
const wholeShare = 0.85;
const mostUserShare = 0.35;
/** Share of the budget that newest steps take whole where they come whole in any case, until the next selection. */
const settledShare = 0.12;
/** Messages that what is told of old steps is cut into, and tokens of each at least. */
const parts = 12;
const leastPart = 256;

/**
 * Returns the context by reuse coverage, at most `budget` tokens on the counter's scale; undefined when what is left at
 * the last try is still more.
 *
 * What the model has not been shown arrives whole or as a preview. Selections are made in characters; how many the
 * counter sees in a token is measured on each try.
 */
export function selectSteps(memory: ThreadMemory, options: SelectOnOptions): AssembledContext | undefined {
  const { budget, count } = options;
  let share = firstShare(options);
  let kept: ContextBeginning | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    const limit = share * (wholeShare * budget - userTokens(memory, options));
    const unseen = unseenSteps(memory, { limit, count });
    const made = { ...options, budget: share * budget, unseen };
    const onward = attempt === 0 ? choose(memory, made) : chooseBehind(memory, made, kept);
    kept = attempt + 1 < keptTries ? onward.kept : undefined;
    const assembled = assembleContext(memory, choiceOf(memory, onward, made), count);
    const tokens = count(assembled.messages);
    if (tokens <= budget) {
      const writes = [...unseen.writes, ...assembled.writes];
      return { ...assembled, writes, folds: [...unseen.folds, ...assembled.folds] };
    }
    share *= Math.min(0.95, (budget / tokens) * margin);
  }
  return undefined;
}

/** How many tokens of four characters the counter sees in one of its own, by what stands now. */
function firstShare({ standing, count }: SelectOnOptions): number {
  const characters = standing.reduce((sum, message) => {
    const calls = toolCalls(message).map(({ name, args }) => name.length + JSON.stringify(args).length);
    return sum + messageText(message).length + calls.reduce((total, length) => total + length, 0);
  }, 0);
  return margin * Math.min(1, Math.max(leastShare, characters / 4 / Math.max(1, count(standing))));
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

function selectOptions(
  memory: ThreadMemory,
  { budget, settle, wholeSteps, count, unseen }: ChooseOptions,
): SelectContextOptions {
  const { index } = memory;
  const previews = [...unseen.texts.values()].reduce((sum, text) => sum + text.length / 4, 0);
  return {
    budget: Math.max(0, budget - previews),
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

function choiceOf(
  memory: ThreadMemory,
  { selection, kept }: Chosen,
  { unseen, budget, settle }: ChooseOptions,
): StepChoice {
  const { index } = memory;
  const { whole, excerpts } = selection;
  const size = Math.max(leastPart, budget / parts);
  return {
    whole,
    sent: unseen.messages,
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
  /** Previews of what is new come last, as they came. */
  function partsOf(steps: readonly number[]): readonly (readonly number[])[] {
    const among = new Set(steps.filter((step) => !unseen.texts.has(step)));
    const arriving = steps.filter((step) => unseen.texts.has(step));
    const made = excerptParts(index, selection, { size, among });
    return arriving.length === 0 ? made : [...made, arriving];
  }
}
