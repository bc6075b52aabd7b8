import type { BaseMessage } from "@langchain/core/messages";
import { cutPoints } from "../cuts/cut-rules.js";
import { keepApart, opensContext } from "../cuts/keep-apart.js";
import { nativeHead } from "../cuts/native-head.js";
import { isOwn, isSummary, isUserMessage, type OwnMessage } from "../folds/fold.js";
import { defaults } from "../options.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface PlanSummaryOptions {
  /** Index of the first message that stays: a legal cut point, from `findCutoff`. */
  readonly cut: number;
  /** Messages that stay verbatim, each with its whole call and results. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** Tokens of user messages that stay verbatim besides the first and the latest. @default 20,000 */
  readonly userTokens?: number;
  /**
   * Messages that the new context may have. The user messages between the first and the latest that would be more are folded,
   * oldest first. @default no limit
   */
  readonly maxMessages?: number;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/** The parts of a context around a summary. The new context is `[...head, ...carried, <summary>, ...tail]`. */
export interface SummaryPlan {
  /**
   * System messages at the start, and everything up to the newest compaction that the provider made. Also the stand-in before the
   * first carried message, where that one is a call and would else begin the context.
   */
  readonly head: readonly BaseMessage[];
  /** All messages between head and tail, in order; the archive records them. */
  readonly region: readonly BaseMessage[];
  /** Messages of the region that stay: the user's words, pins, system messages. */
  readonly carried: readonly OwnMessage[];
  /** Messages of the region that the summary replaces. */
  readonly folded: readonly BaseMessage[];
  readonly tail: readonly BaseMessage[];
}

/** Returns what to fold before `cut`, or undefined when only earlier summaries would be folded. Pure, calls no model. */
export function planSummary(
  messages: readonly BaseMessage[],
  options: PlanSummaryOptions,
): SummaryPlan | undefined {
  const start = Math.max(leadingSystems(messages), nativeHead(messages));
  return planRegion(messages, { ...options, start });
}

/** Returns what to fold from `start` to `cut`, or undefined when only earlier summaries would be folded. Pure. */
export function planRegion(
  messages: readonly BaseMessage[],
  options: RegionOptions,
): SummaryPlan | undefined {
  const { cut } = options;
  if (cut <= options.start) return undefined;
  const pinned = pinnedSegments(messages, cut, options.pin);
  const users = userMessagesToKeep(messages, pinned.length, options);
  const kept =
    pinned.length === 0 ? new Set(users) : keepApart(messages, cut, new Set([...users, ...pinned]));
  const before = [...kept].filter((index) => index < cut);
  const start = options.start + Number(opensContext(messages, options.start, before));
  const region = messages.slice(start, cut);
  const stays = (message: BaseMessage, index: number): message is OwnMessage =>
    isOwn(message) && (kept.has(start + index) || message.getType() === "system");
  const folded = region.filter((message, index) => !stays(message, index));
  if (!folded.some((message) => !isSummary(message))) return undefined;
  return {
    head: messages.slice(0, start),
    region,
    carried: region.filter(stays),
    folded,
    tail: messages.slice(cut),
  };
}

/** Options of a plan, and the index of the first message that may be folded. */
type RegionOptions = PlanSummaryOptions & { readonly start: number };

/** Returns the number of system messages at the start. */
export function leadingSystems(messages: readonly BaseMessage[]): number {
  const first = messages.findIndex((message) => message.getType() !== "system");
  return first < 0 ? messages.length : first;
}

/** Always the first and the latest; the others newest first while they fit. */
function userMessagesToKeep(
  messages: readonly BaseMessage[],
  pinned: number,
  {
    start,
    cut,
    userTokens = defaults.userTokens,
    maxMessages = Infinity,
    tokenCounter = estimateTokens,
  }: RegionOptions,
): readonly number[] {
  const users = messages.flatMap((message, index) => (isUserMessage(message) ? [index] : []));
  const always = [users.at(0), users.at(-1)].filter((index) => index !== undefined);
  let left = userTokens;
  // What stays besides: the head, the tail, the summary, pins, and the two above.
  let room = maxMessages - (start + (messages.length - cut) + 1 + pinned + always.length);
  const fitting = users.toReversed().filter((index) => {
    if (always.includes(index) || index >= cut) return false;
    left -= tokenCounter(messages.slice(index, index + 1));
    return left >= 0 && room-- > 0;
  });
  return [...always, ...fitting];
}

/**
 * Returns the indexes of pinned messages and of all messages that a cut must not separate from them.
 *
 * A pinned reply also keeps the user message it answers. A stand-in of others cannot be pinned: the next summary covers it.
 */
function pinnedSegments(
  messages: readonly BaseMessage[],
  cut: number,
  pin: ((message: BaseMessage) => boolean) | undefined,
): readonly number[] {
  if (pin === undefined) return [];
  const points = cutPoints(messages).filter((point) => point <= cut);
  let user: number | undefined;
  return points.flatMap((start, position) => {
    const segment = messages.slice(start, points[position + 1] ?? cut);
    const asked = segment[0]?.getType() === "ai" && user !== undefined ? [user] : [];
    const last = segment.findLastIndex(isUserMessage);
    if (last >= 0) user = start + last;
    return segment.some((message) => isOwn(message) && pin(message))
      ? [...asked, ...segment.map((_, offset) => start + offset)]
      : [];
  });
}
