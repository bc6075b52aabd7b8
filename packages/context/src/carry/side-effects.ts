import type { BaseMessage } from "@langchain/core/messages";
import { filePathOf } from "../file-calls.js";
import { isToolResult, toolCalls } from "../tool-calls.js";
import { describeCall } from "./open-calls.js";

/** Words of a tool's name by which it changes something outside the conversation. */
const effects = new Set(
  "send post publish commit push merge deploy release delete remove cancel book buy pay order refund transfer update create submit approve reject assign invite upload".split(
    " ",
  ),
);

/**
 * Returns the calls that changed something outside the conversation, a line each, so that nothing is done twice.
 *
 * Pure, by the words of the tool's name. Writes of files are told with the files; a call that failed changed nothing.
 */
export function sideEffects(messages: readonly BaseMessage[]): readonly string[] {
  const worked = new Set(
    messages.filter(isToolResult).flatMap((result) => (result.status === "error" ? [] : result.tool_call_id)),
  );
  const calls = messages.flatMap((message) => toolCalls(message));
  return calls
    .filter((call) => call.id !== undefined && worked.has(call.id))
    .filter((call) => filePathOf(call) === undefined && isEffect(call.name))
    .map((call) => describeCall(call));
}

function isEffect(name: string): boolean {
  const words = name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
  return words.some((word) => effects.has(word));
}
