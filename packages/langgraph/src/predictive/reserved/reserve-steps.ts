import type { BaseMessage } from "@langchain/core/messages";
import { type ArchiveWrite, type Fold, type TokenCounter } from "@palimpsest/context";
import { groupOf, type WholeReason } from "@palimpsest/context/selection";
import type { ContextEvent } from "../../edge/context-event.js";
import { shortenMessage } from "./shorten-message.js";
import type { ThreadMemory } from "../memory/thread-memory.js";
import { leastUnseenTokens, unseenSteps } from "./unseen-steps.js";

/** What is sent before anything is chosen, and in which form. */
export interface ReservedSteps {
  /** Messages of a step, shortened where they do not fit. */
  readonly messages: ReadonlyMap<number, readonly BaseMessage[]>;
  /** Why a step of `messages` is sent. */
  readonly reasons: ReadonlyMap<number, WholeReason>;
  /** Previews of unseen results whose messages cannot be sent, by step. */
  readonly texts: ReadonlyMap<number, string>;
  readonly writes: readonly ArchiveWrite[];
  readonly folds: readonly Fold[];
  /** What should be sent whole and does not fit. */
  readonly unfit: readonly Unfit[];
}

/** Something of which the host is told once. */
export interface Unfit {
  /** The same for the same cause. */
  readonly key: string;
  readonly event: UnfitEvent;
}

type Kind<Event> = Event extends { readonly type: "context.clip" | "context.skip" | "context.overflow" }
  ? Omit<Event, "threadId">
  : never;
type UnfitEvent = Kind<ContextEvent>;

export interface ReserveOptions {
  /** Tokens that the context may take. */
  readonly budget: number;
  /** Tokens to which a selection is made. */
  readonly target: number;
  readonly count: TokenCounter;
}

/** Share of `target` that results take which the model has not been shown. */
const unseenShare = 0.85;
/** Share of the budget that unseen results get before pinned steps. */
const unseenBeforePins = 0.15;
/** Tokens that a shortened message takes at least. */
const leastMessage = 48;
/** Tokens for the notice that heads the first stand-in, and of each stand-in's head by that of a sample. */
const noticeTokens = 110;
const headMargin = 1.2;

/**
 * Returns what is sent in any case: the system messages, the first and the newest message of the user, pinned steps, and
 * the results that the model has not been shown.
 *
 * The user's words and the system messages come first. One that fits is whole; the largest of those that do not fit
 * together keep their beginning and their end. Pinned steps that fit come next, and unseen results get the rest, whole or
 * as previews. Pure: every step has to be in the archive.
 */
export function reserveSteps(memory: ThreadMemory, options: ReserveOptions): ReservedSteps {
  const { budget, target, count } = options;
  const reasons = new Map(wordSteps(memory));
  const head = memory.index.costs.standIn * headMargin;
  const leastUnseen = leastUnseenTokens(memory, count);
  let left = budget - noticeTokens - head * (reasons.size + 2);
  const words = fitWords(memory, [...reasons.keys()], { tokens: left - leastUnseen, budget, count });
  left -= words.tokens;
  const messages = new Map(words.messages);
  const unfit = [...words.unfit];
  const before = Math.max(leastUnseen, unseenBeforePins * budget);
  for (const { index: step } of memory.index.pins) {
    if (messages.has(step)) continue;
    const group = pinnedGroup(memory, step).filter((one) => !messages.has(one.step));
    const tokens = group.reduce((sum, one) => sum + count(one.messages), head);
    if (group.length === 0 || tokens > left - before) {
      unfit.push(unfitPin(step, tokens, options));
      continue;
    }
    left -= tokens;
    for (const one of group) messages.set(one.step, one.messages);
    for (const one of group) reasons.set(one.step, "pinned");
  }
  const used = budget - left;
  const limit = Math.min(left, Math.max(unseenShare * target - used, left / 2));
  const unseen = unseenSteps(memory, { limit, count, fixed: messages });
  for (const [step, sent] of unseen.messages) {
    messages.set(step, sent);
    if (!reasons.has(step)) reasons.set(step, "unseen");
  }
  return {
    messages,
    reasons,
    texts: unseen.texts,
    writes: unseen.writes,
    folds: [...words.folds, ...unseen.folds],
    unfit,
  };
}

function wordSteps({ index }: ThreadMemory): readonly (readonly [number, WholeReason])[] {
  const { users, newestUser, pins } = index;
  const systems = pins.filter(({ type }) => type === "system");
  return [
    ...systems.map((chunk) => [chunk.index, "pinned"] as const),
    ...(newestUser === undefined ? [] : [[newestUser.index, "newest-user"] as const]),
    ...(users[0] === undefined ? [] : [[users[0].index, "first-user"] as const]),
  ];
}

interface FitOptions {
  /** Tokens that all of them may take together. */
  readonly tokens: number;
  readonly budget: number;
  readonly count: TokenCounter;
}

/** The messages of steps that hold words alone, the largest shortened until all fit. */
function fitWords(memory: ThreadMemory, steps: readonly number[], { tokens, budget, count }: FitOptions) {
  const own = steps.map((step) => ({ step, messages: memory.keptMessagesOf(step) }));
  const limit = limitOfEach(
    own.map((one) => count(one.messages)),
    tokens,
  );
  // In coarse steps, so that the text, and the prompt's beginning with it, is the same from selection to selection.
  const coarse = Math.max(leastMessage, budget / 16);
  const most = Math.max(leastMessage, limit < coarse ? limit : Math.floor(limit / coarse) * coarse);
  const folds: Fold[] = [];
  const unfit: Unfit[] = [];
  const messages = own.map(({ step, messages: whole }) => {
    if (count(whole) <= limit) return [step, whole] as const;
    const sent = whole.map((message) => {
      const place = memory.placeOf(step);
      const made = place && shortenMessage(message, { place, tokens: most, count });
      if (made === undefined) return message;
      folds.push(made.fold);
      unfit.push(clipped(made.fold, message));
      return made.message;
    });
    return [step, sent] as const;
  });
  return { messages, folds, unfit, tokens: messages.reduce((sum, [, sent]) => sum + count(sent), 0) };
}

/** The most that each may take so that all fit together: Infinity where they fit as they are. */
function limitOfEach(sizes: readonly number[], tokens: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let left = tokens;
  for (const [at, size] of ascending.entries()) {
    const share = left / (ascending.length - at);
    if (size > share) return Math.max(0, Math.floor(share));
    left -= size;
  }
  return Infinity;
}

interface SentStep {
  readonly step: number;
  readonly messages: readonly BaseMessage[];
}

/** A pinned step with all that a provider wants beside it; empty where that cannot be sent any more. */
function pinnedGroup(memory: ThreadMemory, step: number): readonly SentStep[] {
  const group = groupOf(memory.index, step).map(({ index }) => ({
    step: index,
    messages: memory.messagesOf(index),
  }));
  return group.flatMap(({ step: at, messages }) => (messages === undefined ? [] : [{ step: at, messages }]))
    .length === group.length
    ? group.map(({ step: at, messages = [] }) => ({ step: at, messages }))
    : [];
}

function clipped({ id, path, tokensBefore, tokensAfter }: Fold, message: BaseMessage): Unfit {
  const sizes = { tokensBefore, tokensAfter };
  return {
    key: id,
    event: { type: "context.clip", messageId: message.id, path, ...sizes, reason: "predicted" },
  };
}

function unfitPin(step: number, tokens: number, { budget }: ReserveOptions): Unfit {
  const message =
    `Pinned step ${step} takes ${Math.ceil(tokens)} tokens and does not fit beside what else must be sent in ` +
    `${budget}: it is shown like any other step. Raise the budget, or pin less`;
  return {
    key: `pin ${step}`,
    event: { type: "context.skip", reason: "predicted", because: "floor", message },
  };
}
