import type { BaseMessage } from "@langchain/core/messages";
import { illegalities } from "./illegalities.js";
import { carriesReasoning, nameOf } from "./legality-rule.js";

/**
 * Returns the provider rules that `after` breaks and `before` did not: what a rewrite of one into the other added.
 *
 * Pure. Besides the rules of `illegalities` it knows one that needs both lists: a message that stays keeps the
 * reasoning which came before it in its tool loop.
 */
export function addedIllegalities(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): readonly string[] {
  const known = new Set(illegalities(before));
  const added = illegalities(after).filter((one) => !known.has(one));
  return [...added, ...partedReasoning(before, after)];
}

function partedReasoning(before: readonly BaseMessage[], after: readonly BaseMessage[]): readonly string[] {
  const left = reasoningBehind(after);
  return [...reasoningBehind(before)].flatMap(([name, reasoning]) =>
    reasoning !== undefined && left.has(name) && left.get(name) !== reasoning
      ? [`message ${name} is parted from the reasoning of ${reasoning}`]
      : [],
  );
}

/** Returns message -> message whose reasoning it continues, for each AI message without reasoning of its own. */
function reasoningBehind(messages: readonly BaseMessage[]): ReadonlyMap<string, string | undefined> {
  const behind = new Map<string, string | undefined>();
  let reasoning: string | undefined;
  messages.forEach((message, index) => {
    if (message.getType() === "human") reasoning = undefined;
    if (message.getType() !== "ai") return;
    if (carriesReasoning(message)) reasoning = nameOf(message, index);
    else behind.set(nameOf(message, index), reasoning);
  });
  return behind;
}
