import type { BaseMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf, unseenStart } from "@palimpsest/context";
import { addedIllegalities, illegalities } from "@palimpsest/context/testing";
import type { ContextEvent } from "@palimpsest/langgraph";
import type { ReasoningRecord } from "../reasoning-record.js";
import type { Settings } from "./script.js";
import type { Strategy } from "./strategies.js";
import { isPinned, wordIn } from "./texts.js";

export interface SentPrompt {
  readonly prompt: readonly BaseMessage[];
  /** The thread at this call, as it is without us. */
  readonly thread: readonly BaseMessage[];
  readonly strategy: Strategy;
  readonly settings: Settings;
  /** Events of the thread so far. */
  readonly events: readonly ContextEvent[];
  /** Words that were taken out of the thread. */
  readonly forbidden: ReadonlySet<string>;
  /** Ids of the pinned messages of the thread so far, those included that the host has removed; the newest last. */
  readonly pinned: ReadonlySet<string>;
  readonly reasoning: ReasoningRecord;
  /** Whether an original may be missing for now: the archive fails. */
  readonly isOutage: boolean;
}

/** Returns what is wrong with a prompt: a word for the kind, and what it is. */
export function checkPrompt(sent: SentPrompt): readonly string[] {
  return [
    ...illegal(sent),
    ...tooLarge(sent),
    ...broughtBack(sent),
    ...missing(sent),
    ...outOfOrder(sent),
    ...changedPins(sent),
    ...staleReasoning(sent),
  ];
}

/**
 * A message that breaks a rule in the thread itself may break another one in the prompt: the host has removed what it needs. The
 * same is true of every call before the first user message of the thread: nobody can send a user message before it.
 */
function illegal({ prompt, thread }: SentPrompt): readonly string[] {
  const added = addedIllegalities(thread, prompt);
  if (added.length === 0) return [];
  const known = new Set(illegalities(thread).map(named));
  const unasked = new Set(beforeUser(thread).map(({ id }) => `message ${id} calls before any user message`));
  return added.filter((one) => !known.has(named(one)) && !unasked.has(one)).map((one) => `illegal: ${one}`);
}

function beforeUser(thread: readonly BaseMessage[]): readonly BaseMessage[] {
  const first = thread.findIndex((message) => message.getType() === "human");
  return first < 0 ? thread : thread.slice(0, first);
}

function named(sentence: string): string {
  return /^message \S+/.exec(sentence)?.[0] ?? sentence;
}

/**
 * Stale reasoning leaves the prompt with its fold, which the archive must take first. Nobody knows that a model reasons before
 * its first thought: the prefix of that one is not recorded.
 */
function staleReasoning({ prompt, thread, strategy, reasoning, isOutage }: SentPrompt): readonly string[] {
  if (isOutage || strategy.isOutside === true) return [];
  const first = thread.find((message) => JSON.stringify(message.content).includes('"thinking"'))?.id;
  const stale = reasoning.stale(prompt).filter((id) => id !== first);
  return stale.map((id) => `stale: the reasoning of ${id}`);
}

function tooLarge({
  prompt,
  strategy: { limit },
  settings: { window, reportsUsage },
  events,
}: SentPrompt): readonly string[] {
  if (limit === undefined) return [];
  const tokens = estimateTokens(prompt);
  // A report counts the messages as they were: what a host changes before the newest reply is an estimate until the next one.
  const most = limit * window * (reportsUsage ? 1.05 : 1);
  const isTold = events.some(
    (event) =>
      event.type === "context.fail" || (event.type === "context.overflow" && event.tokens * 1.15 >= tokens),
  );
  return tokens <= most || isTold
    ? []
    : [`window: a prompt of ${tokens} tokens for ${most}, and no event says so`];
}

function broughtBack({ prompt, forbidden }: SentPrompt): readonly string[] {
  if (forbidden.size === 0) return [];
  const text = prompt.map((message) => JSON.stringify(message.content)).join("\n");
  return [...forbidden]
    .filter((word) => text.includes(word))
    .map((word) => `removed: ${word} is in the prompt`);
}

/** The user's newest message and unseen results are there: whole, as a preview, or shortened in a record of their step. */
function missing({ prompt, thread }: SentPrompt): readonly string[] {
  const ids = new Set(prompt.map(({ id }) => id));
  const text = JSON.stringify(prompt.map(({ content }) => content));
  const isGone = (message: BaseMessage) => !ids.has(message.id) && !text.includes(wordIn(message));
  const newest = thread.findLast((message) => message.getType() === "human");
  const unseen = thread.slice(unseenStart(thread)).filter((message) => message.getType() !== "ai");
  return [
    ...(newest === undefined || !isGone(newest)
      ? []
      : [`words: the user's newest message ${newest.id} is not in the prompt`]),
    // Predictive context may show no line of a new result, but names the file that holds it.
    ...(text.includes("[New result") ? [] : unseen.filter(isGone)).map(
      ({ id }) => `unseen: ${id} is not in the prompt`,
    ),
  ];
}

/** Messages that stay keep their order, and stand once. */
function outOfOrder({ prompt, thread }: SentPrompt): readonly string[] {
  const places = new Map(thread.map(({ id }, index) => [id, index]));
  let last = -1;
  for (const { id } of prompt) {
    const at = places.get(id);
    if (at === undefined) continue;
    if (at === last) return [`order: ${id} is twice in the prompt`];
    if (at < last) return [`order: ${id} is behind what follows it in the thread`];
    last = at;
  }
  return [];
}

/** Events that say that pins did not fit. */
const telling: ReadonlySet<ContextEvent["type"]> = new Set([
  "context.overflow",
  "context.fail",
  "context.skip",
]);

/**
 * Pinned messages are sent word for word, as long as all of them together are a small part of the window. Of a file, the newest
 * call is: an older one that left, as an event said, stays folded where the host removes the newest.
 */
function changedPins(sentPrompt: SentPrompt): readonly string[] {
  const { prompt, thread, settings, strategy, events } = sentPrompt;
  if (strategy.limit === undefined) return [];
  if (strategy.pins === "predicate" && (settings.pins === "tools" || settings.pins === "files")) return [];
  const pinned = thread.filter((message) => isPinned(message, settings));
  const counted = settings.pins === "files" ? newestRead(pinned, sentPrompt) : pinned;
  if (estimateTokens(pinned) > (strategy.limit * settings.window) / 4) return [];
  if (events.some(({ type }) => telling.has(type))) return [];
  const sent = new Map(prompt.map((message) => [message.id, message]));
  return counted.flatMap((message) => {
    const here = sent.get(message.id);
    if (here === undefined) return [`pin: ${message.id} is not in the prompt`];
    return foldOf(here)?.kind === undefined &&
      JSON.stringify(here.content) === JSON.stringify(message.content)
      ? []
      : [`pin: ${message.id} is shortened in the prompt`];
  });
}

function newestRead(pinned: readonly BaseMessage[], { pinned: all, events }: SentPrompt) {
  const hasLeft = events.some(({ type }) => type === "context.pins");
  const newest = [...all].at(-1);
  return pinned.slice(-1).filter(({ id }) => !hasLeft || id === newest);
}
