import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { quote } from "../quotations/quoted-text.js";
import { inlineText, messageText } from "../messages/text.js";
import { filePathOf, isToolResult, toolCalls, type CallInfo } from "../messages/tool-calls.js";

/** Prefix of an error entry, by which a later summary recognizes it. */
const errorPrefix = "Last error, from ";
const openPrefix = "Called, no result yet: ";

/** Returns a short description of a call: its name and the beginning of its arguments. */
export function describeCall({ name, args }: CallInfo, maxCharacters = 160): string {
  return inlineText(`${name} ${JSON.stringify(args)}`, maxCharacters);
}

/** Returns one line for each call without a result. Pure. */
export function unfinishedCalls(messages: readonly BaseMessage[]): readonly string[] {
  const answered = new Set(messages.filter(isToolResult).map((result) => result.tool_call_id));
  const calls = messages.flatMap((message) => toolCalls(message));
  const open = calls.filter(({ id }) => id !== undefined && !answered.has(id));
  return open.map((call) => openPrefix + describeCall(call));
}

/** True for an entry that reports a tool error. */
export function isError(entry: string): boolean {
  return entry.startsWith(errorPrefix);
}

/** True for a task, false for an open call of an earlier span, whose state the newer messages decide. */
export function isTask(entry: string): boolean {
  return !entry.startsWith(openPrefix);
}

/**
 * Returns the last unresolved error, or the one that `earlier` reports.
 *
 * Pure. An error is resolved once the same tool succeeds on the same file or with the same arguments. An error of an
 * earlier summary stays until a newer error replaces it or its tool succeeds.
 */
export function openErrors(
  messages: readonly BaseMessage[],
  earlier: readonly string[] = [],
): readonly string[] {
  const calls = new Map(
    messages.flatMap((message) => toolCalls(message)).map((call) => [call.id, call] as const),
  );
  const results = messages.filter(isToolResult);
  const last = results.findLastIndex((result) => result.status === "error");
  const failed = results[last];
  if (failed === undefined) {
    const succeeded = new Set(results.map((result) => toolOf(result, calls.get(result.tool_call_id))));
    return earlier
      .filter((entry) => !succeeded.has(toolOfEntry(entry)) && entry.startsWith(errorPrefix))
      .slice(-1);
  }
  const call = calls.get(failed.tool_call_id);
  const isResolved = results.slice(last + 1).some((result) => isSame(call, calls.get(result.tool_call_id)));
  if (isResolved) return [];
  return [
    `${errorPrefix}${toolOf(failed, call)}: ${quote(inlineText(messageText(failed).replace(/\s+/g, " "), 300))}`,
  ];
}

function toolOf(result: ToolMessage, call: CallInfo | undefined): string {
  return inlineText(call?.name ?? result.name ?? "a tool", 60);
}

function toolOfEntry(entry: string): string {
  return entry.slice(errorPrefix.length).split(":")[0] ?? "";
}

function isSame(one: CallInfo | undefined, other: CallInfo | undefined): boolean {
  if (one === undefined || other === undefined || one.name !== other.name) return false;
  return subjectOf(one) === subjectOf(other);
}

function subjectOf(call: CallInfo): string {
  return filePathOf(call) ?? JSON.stringify(call.args);
}
