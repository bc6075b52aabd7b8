import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../messages/copy-message.js";
import { isToolResult, toolCalls } from "../messages/tool-calls.js";
import { pinnedFiles, type PinFilesOptions } from "./pinned-files.js";

const key = "palimpsest_pin";

/** Returns a copy of a message that every compaction keeps unchanged, with its whole call and results. Pure. */
export function pin<Message extends BaseMessage>(message: Message): Message {
  return copyMessage(message, { additional_kwargs: { ...message.additional_kwargs, [key]: true } });
}

/** True for a message that `pin` has marked. */
export function isPinned(message: BaseMessage): boolean {
  return message.additional_kwargs?.[key] === true;
}

export interface PinOptions extends PinFilesOptions {
  /** True for messages that stay. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** Tools whose calls and results stay. */
  readonly pinTools?: readonly string[] | undefined;
}

/**
 * Returns a predicate for pinned messages: pinned by mark, by the `pin` option, by tool or by file.
 *
 * Pure, O(messages). Undefined when no message is pinned, so that callers skip the check.
 */
export function pinOf(
  messages: readonly BaseMessage[],
  { pin: predicate, pinTools = [], ...files }: PinOptions,
): ((message: BaseMessage) => boolean) | undefined {
  const exempt = new Set([...ofTools(messages, pinTools), ...pinnedFiles(messages, files).ids]);
  if (predicate === undefined && exempt.size === 0 && !messages.some(isPinned)) return undefined;
  return (message) => isPinned(message) || exempt.has(message.id ?? "") || predicate?.(message) === true;
}

/** Returns the ids of the calls and results of tools. */
function ofTools(messages: readonly BaseMessage[], pinTools: readonly string[]): ReadonlySet<string> {
  const [tools, ids] = [new Set(pinTools), new Set<string>()];
  if (tools.size === 0) return ids;
  const answers = new Map<string, string>();
  for (const message of messages) {
    if (isToolResult(message) && message.id !== undefined) answers.set(message.tool_call_id, message.id);
  }
  for (const message of messages) {
    for (const call of toolCalls(message)) {
      const result = call.id === undefined ? undefined : answers.get(call.id);
      if (tools.has(call.name)) for (const id of [message.id, result]) if (id !== undefined) ids.add(id);
    }
  }
  return ids;
}
