import type { BaseMessage } from "@langchain/core/messages";
import { defaults, type ArchiveWrite, type Fold, type TokenCounter } from "@palimpsest/context";
import { groupOf, type WholeReason } from "@palimpsest/context/selection";
import type { ContextEvent } from "../../context-event.js";
import { shortenMessage } from "./shorten-message.js";
import type { ThreadMemory } from "../memory/thread-memory.js";
import { minUnseenTokens, unseenSteps } from "./unseen-steps.js";

/** The steps that must be sent, and in which form. */
export interface ReservedSteps {
  /** Messages by step, shortened if they do not fit. */
  readonly messages: ReadonlyMap<number, readonly BaseMessage[]>;
  /** Why a step of `messages` must be sent. */
  readonly reasons: ReadonlyMap<number, WholeReason>;
  /** Previews of unseen results whose messages cannot be sent, by step. */
  readonly texts: ReadonlyMap<number, string>;
  readonly writes: readonly ArchiveWrite[];
  readonly folds: readonly Fold[];
  /** The steps that should be sent whole but do not fit. */
  readonly unfit: readonly Unfit[];
}

/** A step that must be sent but does not fit. Its event is sent once. */
export interface Unfit {
  /** Identifies the reason. */
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
  /** Tokens that a new selection takes. */
  readonly target: number;
  readonly count: TokenCounter;
}

/** Share of the budget that pinned steps leave to unseen results. */
const unseenBeforePins = 0.15;
/** Minimum tokens of a shortened message. */
const minMessageTokens = 48;
/** Tokens of the notice in the first stand-in, with a margin, and the margin on the head of each stand-in. */
const noticeTokens = 110;
const headMargin = 1.2;

/**
 * Returns the steps that must be sent: the system messages, the first and the newest message of the user, pinned steps, and the
 * results that the model has not seen.
 *
 * System messages and the user's messages come first: if they do not fit together, the largest keep their beginning and their
 * end. Pinned steps come next, if they fit. Unseen results get the rest, whole or as previews. Pure; every step must be in the
 * archive.
 */
export function reserveSteps(memory: ThreadMemory, options: ReserveOptions): ReservedSteps {
  const { budget, target, count } = options;
  const reasons = new Map(wordSteps(memory));
  const head = memory.index.costs.standIn * headMargin;
  const minUnseen = minUnseenTokens(memory, count);
  let left = budget - noticeTokens - head * (reasons.size + 2);
  const words = fitWords(memory, [...reasons.keys()], { tokens: left - minUnseen, budget, count });
  left -= words.tokens;
  const messages = new Map(words.messages);
  const unfit = [...words.unfit];
  const before = Math.max(minUnseen, unseenBeforePins * budget);
  for (const step of memory.pinnedSteps()) {
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
  const limit = Math.min(left, Math.max(defaults.wholeShare * target - used, left / 2));
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
  /** Tokens of all messages together. */
  readonly tokens: number;
  readonly budget: number;
  readonly count: TokenCounter;
}

/** Returns the messages of system and user steps, the largest shortened until all fit. */
function fitWords(memory: ThreadMemory, steps: readonly number[], { tokens, budget, count }: FitOptions) {
  const own = steps.map((step) => ({ step, messages: memory.keptMessagesOf(step) }));
  const limit = fairLimit(
    own.map((one) => count(one.messages)),
    tokens,
  );
  // Round the limit, so that the text, and with it the prompt prefix, stays the same in the next selections.
  const coarse = Math.max(minMessageTokens, budget / 16);
  const maxTokens = Math.max(minMessageTokens, limit < coarse ? limit : Math.floor(limit / coarse) * coarse);
  const folds: Fold[] = [];
  const unfit: Unfit[] = [];
  const messages = own.map(({ step, messages: whole }) => {
    if (count(whole) <= limit) return [step, whole] as const;
    const sent = whole.map((message) => {
      const entry = memory.entryOf(step);
      const shortened = entry && shortenMessage(message, { entry, tokens: maxTokens, count });
      if (shortened === undefined) return message;
      folds.push(shortened.fold);
      unfit.push(clipped(shortened.fold, message));
      return shortened.message;
    });
    return [step, sent] as const;
  });
  return { messages, folds, unfit, tokens: messages.reduce((sum, [, sent]) => sum + count(sent), 0) };
}

/** Returns the largest size that each may have so that all fit together; Infinity if they fit as they are. */
function fairLimit(sizes: readonly number[], tokens: number): number {
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

/** Returns a pinned step with the steps that are joined to it; empty if one of them is no longer in memory. */
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
    `Pinned step ${step} takes ${Math.ceil(tokens)} tokens, which do not fit beside what else must be sent within ` +
    `${budget} tokens: it is selected like any other step. Raise the budget, or pin less`;
  return {
    key: `pin ${step}`,
    event: { type: "context.skip", due: "predicted", reason: "floor", message },
  };
}
