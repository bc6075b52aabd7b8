import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import {
  isNativeCompaction,
  isSignedCompaction,
  nativeStart,
} from "../messages/provider/native-compaction.js";
import { hasBoundReasoning } from "../messages/provider/reasoning.js";
import {
  carriesReasoning,
  nameOf,
  type Illegality,
  type LegalityRule,
  type Provider,
} from "./legality-rule.js";
import { valueImage } from "./message-image.js";
import { pairRules } from "./pair-rules.js";
import { providerRules } from "./provider-rules.js";

/** Every rule that a provider enforces. A thread may change its provider, so all of them apply. */
export const legalityRules: readonly LegalityRule[] = [...providerRules, ...pairRules];

export interface LegalityOptions {
  /** @default legalityRules */
  readonly rules?: readonly LegalityRule[];
  /** Only the rules of this provider. @default all */
  readonly provider?: Provider;
}

/**
 * Returns the rules that a list of messages breaks, and where; empty for a list that every provider accepts. Pure.
 *
 * A real history may break some rules before a rewrite: see `addedIllegalities`.
 */
export function legality(
  messages: readonly BaseMessage[],
  { rules = legalityRules, provider }: LegalityOptions = {},
): readonly Illegality[] {
  return rules
    .filter(({ providers }) => provider === undefined || providers.includes(provider))
    .flatMap(({ name, check }) => check(messages).map((found) => ({ rule: name, ...found })));
}

/** Returns the sentences of `legality`, which name message and call ids, for tests that compare them. Pure. */
export function illegalities(messages: readonly BaseMessage[]): readonly string[] {
  return legality(messages).map(({ message }) => message);
}

/**
 * Returns the violations that a rewrite of `before` into `after` adds. Pure.
 *
 * Besides the rules of `illegalities` it checks one that needs both lists: a message that stays keeps the reasoning before it in
 * its tool loop, unless the model binds reasoning to its prefix: see `staleReasoning`.
 */
export function addedIllegalities(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): readonly string[] {
  const found = illegalities(after);
  // Most prompts break no rule: then those of the longer list before them need not be looked for.
  const known = new Set(found.length === 0 ? [] : illegalities(before));
  const added = found.filter((one) => !known.has(one));
  return [...added, ...partedReasoning(before, after)];
}

/**
 * Returns the names of the messages in `after` whose reasoning is bound to a prefix that `after` no longer has. Pure.
 *
 * `before` is the last prompt with the new messages. A compaction of the provider is a prefix of its own: where both lists
 * have it, only what follows it counts, and the messages after a new signed one keep what they had.
 */
export function staleReasoning(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): readonly string[] {
  const start = nativeStart(after) + 1;
  if (start > 0) return staleReasoning(before.slice(sameEpoch(before, after, start)), after.slice(start));
  const first = after.findIndex((message, index) => !isSame(message, before[index]));
  if (first < 0) return [];
  // Reasoning comes first in its message, so a change of the message comes after it.
  const opens = after[first]?.getType() === "ai" && after[first]?.id === before[first]?.id;
  return after.flatMap((message, index) =>
    index >= (opens ? first + 1 : first) && hasBoundReasoning(message) ? [nameOf(message, index)] : [],
  );
}

/** Returns where the messages after the newest compaction of the provider begin in `before`. */
function sameEpoch(before: readonly BaseMessage[], after: readonly BaseMessage[], start: number): number {
  const compaction = after[start - 1];
  const at = before.findIndex(({ id }) => id === compaction?.id);
  if (at >= 0 || compaction === undefined) return at + 1;
  const kept = before.findIndex(({ id }) => id === after[start]?.id);
  return isSignedCompaction(compaction) && kept >= 0 ? kept : before.length;
}

/** Returns the name of the newest compaction of the provider in `before` that `after` lacks or has changed. Pure. */
export function changedCompaction(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): readonly string[] {
  const at = nativeStart(before);
  const compaction = before[at];
  if (compaction === undefined) return [];
  const kept = after.find(({ id }) => id === compaction.id);
  return kept !== undefined && blockImage(kept) === blockImage(compaction) ? [] : [nameOf(compaction, at)];
}

/** Compares every field in which a compaction is kept. */
function blockImage({ content, response_metadata, additional_kwargs: kwargs }: BaseMessage): string {
  return valueImage([content, response_metadata, kwargs["tool_outputs"]]);
}

/** Compares what providers receive: notes and folds in the metadata may differ. */
function isSame(one: BaseMessage, other: BaseMessage | undefined): boolean {
  return one === other || (other !== undefined && sentImage(one) === sentImage(other));
}

function sentImage(message: BaseMessage): string {
  const { tool_calls: calls, tool_call_id: answers } = message as Partial<AIMessage & ToolMessage>;
  return valueImage([message.getType(), message.id, message.content, calls, answers]);
}

/** Models that bind reasoning accept a loop without it; other models require the reasoning that opens their loop. */
function partedReasoning(before: readonly BaseMessage[], after: readonly BaseMessage[]): readonly string[] {
  if (before.some(hasBoundReasoning)) return [];
  const left = reasoningBehind(after);
  return [...reasoningBehind(before)].flatMap(([name, reasoning]) =>
    reasoning !== undefined && left.has(name) && left.get(name) !== reasoning
      ? [`message ${name} is parted from the reasoning of ${reasoning}`]
      : [],
  );
}

/** Returns AI message without reasoning -> AI message whose reasoning it continues. */
function reasoningBehind(messages: readonly BaseMessage[]): ReadonlyMap<string, string | undefined> {
  const behind = new Map<string, string | undefined>();
  let reasoning: string | undefined;
  messages.forEach((message, index) => {
    if (message.getType() === "human" || isNativeCompaction(message)) reasoning = undefined;
    if (message.getType() !== "ai") return;
    if (carriesReasoning(message)) reasoning = nameOf(message, index);
    else behind.set(nameOf(message, index), reasoning);
  });
  return behind;
}
