import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { inlineText, messageText } from "../messages/text.js";
import { filePathOf, isToolResult, toolCalls, type CallInfo } from "../messages/tool-calls.js";

/** Starts the entry of an error, so that a later summary knows it for one. */
const errorPrefix = "Last error, from ";
const openPrefix = "Called, no result yet: ";

/** Returns a call in a few words: its name and the beginning of its arguments. */
export function describeCall({ name, args }: CallInfo, most = 160): string {
  return inlineText(`${name} ${JSON.stringify(args)}`, most);
}

/** Returns the calls that have no result, a line each. Pure. */
export function unfinishedCalls(messages: readonly BaseMessage[]): readonly string[] {
  const answered = new Set(messages.filter(isToolResult).map((result) => result.tool_call_id));
  const calls = messages.flatMap((message) => toolCalls(message));
  const open = calls.filter(({ id }) => id !== undefined && !answered.has(id));
  return open.map((call) => openPrefix + describeCall(call));
}

/** True for an entry that tells an error of a tool. */
export function isError(entry: string): boolean {
  return entry.startsWith(errorPrefix);
}

/** True for an entry that is no call of an earlier span: whether such a call was answered, the newer span knows. */
export function isTask(entry: string): boolean {
  return !entry.startsWith(openPrefix);
}

/**
 * Returns the last error that no later call of the same kind has made good, or what `earlier` says of one.
 *
 * Pure. Made good is an error when the same tool later succeeded on the same file, or with the same arguments. One of
 * an earlier summary stays until a newer one takes its place or its tool succeeds.
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
    const worked = new Set(results.map((result) => toolOf(result, calls.get(result.tool_call_id))));
    return earlier
      .filter((entry) => !worked.has(toolOfEntry(entry)) && entry.startsWith(errorPrefix))
      .slice(-1);
  }
  const call = calls.get(failed.tool_call_id);
  const made = results.slice(last + 1).some((result) => isSame(call, calls.get(result.tool_call_id)));
  if (made) return [];
  return [
    `${errorPrefix}${toolOf(failed, call)}: ${inlineText(messageText(failed).replace(/\s+/g, " "), 300)}`,
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
