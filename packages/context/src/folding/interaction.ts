import type { BaseMessage } from "@langchain/core/messages";
import { inlineText, messageText } from "../messages/text.js";
import { isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { latestIn, stripDirectives } from "./reply-directives.js";

/** One step of the agent, as text. */
export interface Interaction {
  readonly step: number;
  /** What the model said, without its fold directive. */
  readonly explanation: string;
  /** The tool calls, or "final answer" for a message without any. Empty without a model message. */
  readonly action: string;
  /** The results, in the order of their calls. Empty for a final answer. */
  readonly observation: string;
}

/** Separates the results of several calls. */
const separator = "\n---\n";
/** Placeholder for a missing result. */
export const waiting = "(waiting for its result)";

/**
 * Returns the interaction of a unit's messages: the model's message and the results so far. Pure.
 *
 * Later results replace their placeholders, in any order of arrival.
 */
export function interactionOf(messages: readonly BaseMessage[], step: number): Interaction {
  const own = messages.filter((message) => isAi(message));
  const calls = own.flatMap(toolCalls);
  const results = messages.filter(isToolResult);
  const answered = new Map(results.map((result) => [result.tool_call_id, messageText(result)]));
  const known = new Set(calls.map(({ id }) => id));
  const strays = results.filter(({ tool_call_id: id }) => !known.has(id)).map(messageText);
  const observed = calls.map(({ id }) => (id === undefined ? undefined : answered.get(id)) ?? waiting);
  const speaking = own.length === 0 ? messages.filter((message) => !isToolResult(message)) : own;
  const said = speaking.map(messageText).join("\n");
  return {
    step,
    explanation: stripDirectives(said).trim() || latestIn(said),
    action:
      calls.length === 0 ? (own.length === 0 ? "" : "final answer") : calls.map(describeCall).join("; "),
    observation: [...observed, ...strays].join(separator),
  };
}

function describeCall({ name, args }: { readonly name: string; readonly args: unknown }): string {
  return `${inlineText(name, 60)} ${JSON.stringify(args)}`;
}
