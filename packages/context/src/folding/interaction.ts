import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { inlineText, messageText } from "../messages/text.js";
import { isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { sourcesOf } from "../quotations/quoted-text.js";
import type { SourcedLine } from "../quotations/sourced-lines.js";
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
  /** The same, each with the tool that it came from; a placeholder has no source. */
  readonly results: readonly SourcedLine[];
}

/** Separates the results of several calls. */
const separator = "\n---\n";
/** Placeholder for a missing result. */
const unanswered: SourcedLine = { source: "", line: "(waiting for its result)" };

/**
 * Returns the interaction of a unit's messages: the model's message and the results so far. Pure.
 *
 * Later results replace their placeholders, in any order of arrival.
 */
export function interactionOf(messages: readonly BaseMessage[], step: number): Interaction {
  const own = messages.filter((message) => isAi(message));
  const calls = own.flatMap(toolCalls);
  const results = messages.filter(isToolResult);
  const sources = sourcesOf(messages);
  const seen = (result: ToolMessage) => ({ source: sources.get(result) ?? "", line: messageText(result) });
  const answered = new Map(results.map((result) => [result.tool_call_id, seen(result)]));
  const known = new Set(calls.map(({ id }) => id));
  const strays = results.filter(({ tool_call_id: id }) => !known.has(id)).map(seen);
  const observed = [...calls.map(({ id }) => answered.get(id ?? "") ?? unanswered), ...strays];
  const speaking = own.length === 0 ? messages.filter((message) => !isToolResult(message)) : own;
  const said = speaking.map(messageText).join("\n");
  return {
    step,
    explanation: stripDirectives(said).trim() || latestIn(said),
    action:
      calls.length === 0 ? (own.length === 0 ? "" : "final answer") : calls.map(describeCall).join("; "),
    observation: observed.map(({ line }) => line).join(separator),
    results: observed,
  };
}

function describeCall({ name, args }: { readonly name: string; readonly args: unknown }): string {
  return `${inlineText(name, 60)} ${JSON.stringify(args)}`;
}
