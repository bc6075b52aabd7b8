import type { BaseMessage } from "@langchain/core/messages";
import { isNativeCompaction, isSignedCompaction } from "../messages/provider/native-compaction.js";
import { hasBoundReasoning } from "../messages/provider/reasoning.js";
import { isToolResult } from "../messages/tool-calls.js";
import {
  arrayContent,
  callIds,
  carriesReasoning,
  isReasoningBlock,
  nameOf,
  type LegalityRule,
} from "./legality-rule.js";

const everybody = ["openai-chat", "openai-responses", "anthropic", "gemini"] as const;

/** Rules about ids, order and content. */
export const providerRules: readonly LegalityRule[] = [
  { name: "unique-ids", providers: ["langgraph"], check: duplicateIds },
  {
    name: "system-first",
    providers: ["anthropic", "gemini"],
    check(messages) {
      const first = messages.findIndex((message) => message.getType() !== "system");
      return each(messages, (message, index) =>
        first >= 0 && index > first && message.getType() === "system"
          ? `system message ${nameOf(message, index)} is not at the start`
          : undefined,
      );
    },
  },
  {
    name: "no-empty-message",
    providers: everybody,
    check: (messages) =>
      each(messages, (message, index) => {
        const spoken = message.getType() === "human" || message.getType() === "ai";
        const empty = spoken && message.content.length === 0 && callIds(message).length === 0;
        return empty ? `message ${nameOf(message, index)} is empty` : undefined;
      }),
  },
  { name: "reasoning-opens-tool-loop", providers: ["anthropic"], check: openingWithoutReasoning },
  {
    name: "thinking-before-calls",
    providers: ["anthropic"],
    check: (messages) =>
      each(messages, (message, index) => {
        const types = arrayContent(message);
        const call = types.findIndex(({ type }) => type === "tool_use");
        const late = call >= 0 && types.slice(call).some(isReasoningBlock);
        return late ? `message ${nameOf(message, index)} thinks behind its calls` : undefined;
      }),
  },
  {
    name: "reasoning-item-has-follower",
    providers: ["openai-responses"],
    check: (messages) =>
      each(messages, (message, index) => {
        const blocks = arrayContent(message);
        const items = blocks.filter(({ type }) => type === "reasoning");
        const alone = items.length > 0 && items.length === blocks.length && callIds(message).length === 0;
        return alone ? `reasoning item of ${nameOf(message, index)} stands alone` : undefined;
      }),
  },
  {
    name: "signed-compaction-first",
    providers: ["anthropic"],
    check(messages) {
      const first = messages.findIndex((message) => message.getType() !== "system");
      return each(messages, (message, index) =>
        index > first && isSignedCompaction(message)
          ? `the signed compaction ${nameOf(message, index)} is not first`
          : undefined,
      );
    },
  },
  {
    name: "call-turn-follows-user-or-result",
    providers: ["gemini"],
    check: (messages) =>
      each(messages, (message, index) => {
        if (callIds(message).length === 0) return undefined;
        // A result without its call does not count as a turn.
        const before = messages.slice(0, index).findLast((one, at) => !isOrphan(one, messages.slice(0, at)));
        // Gemini has no compaction of its own: a message with one is for another provider.
        const isForAnother = [message, before].some((one) => one !== undefined && isNativeCompaction(one));
        return before?.getType() === "ai" && !isForAnother
          ? `message ${nameOf(message, index)} calls right behind another of the model`
          : undefined;
      }),
  },
  {
    name: "starts-with-user",
    providers: ["gemini"],
    check(messages) {
      const index = messages.findIndex((message) => message.getType() !== "system");
      const first = messages[index];
      const wrong = first?.getType() === "ai" && callIds(first).length > 0 && !isNativeCompaction(first);
      return wrong
        ? [{ message: `message ${nameOf(first, index)} calls before any user message`, index }]
        : [];
    },
  },
];

/**
 * No two user turns and no two model turns in a row. Gemini and Anthropic document this rule but accept several messages of one
 * role as one turn, so it is not part of `legalityRules`.
 */
export const alternatingRoles: LegalityRule = {
  name: "alternating-roles",
  providers: ["gemini", "anthropic"],
  check: (messages) =>
    each(messages, (message, index) => {
      const role = message.getType();
      const same = (role === "human" || role === "ai") && messages[index - 1]?.getType() === role;
      return same ? `message ${nameOf(message, index)} has the role of the one before it` : undefined;
    }),
};

function each(
  messages: readonly BaseMessage[],
  says: (message: BaseMessage, index: number) => string | undefined,
) {
  return messages.flatMap((message, index) => {
    const said = says(message, index);
    return said === undefined ? [] : [{ message: said, index }];
  });
}

function duplicateIds(messages: readonly BaseMessage[]) {
  const seen = new Set<string>();
  return each(messages, ({ id }) => {
    if (id === undefined || id === "") return undefined;
    if (seen.has(id)) return `message id ${id} is there twice`;
    seen.add(id);
    return undefined;
  });
}

/**
 * Anthropic checks the current tool loop, after the newest user message or compaction of its own, for signed reasoning. A
 * rule of models that do not bind reasoning to its prefix: the others take a loop that lost what went stale.
 */
function openingWithoutReasoning(messages: readonly BaseMessage[]) {
  const start = messages.findLastIndex(
    (message) => message.getType() === "human" || isNativeCompaction(message),
  );
  const loop = messages.flatMap((message, index) =>
    index >= start && isReply(message) ? [{ message, index }] : [],
  );
  const reasoning = loop.findIndex(({ message }) => carriesReasoning(message));
  const late = loop[reasoning];
  if (late === undefined || reasoning === 0 || hasBoundReasoning(late.message)) return [];
  const name = nameOf(late.message, late.index);
  return [{ message: `reasoning of ${name} is not at the opening of its tool loop`, index: late.index }];
}

/** A message that is nothing but a compaction of the provider is no reply. */
function isReply(message: BaseMessage): boolean {
  if (message.getType() !== "ai") return false;
  return !isNativeCompaction(message) || carriesReasoning(message) || callIds(message).length > 0;
}

function isOrphan(message: BaseMessage, before: readonly BaseMessage[]): boolean {
  if (!isToolResult(message)) return false;
  return !before.some((one) => callIds(one).includes(message.tool_call_id));
}
