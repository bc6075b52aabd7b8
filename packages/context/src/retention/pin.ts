import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../messages/copy-message.js";
import { isToolResult, toolCalls } from "../messages/tool-calls.js";
import { pinKey, pinnedFiles, type PinFilesOptions } from "./pinned-files.js";

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
 * Returns a predicate for messages that stay verbatim: pinned by mark, by the `pin` option, by tool or by file. A pinned call
 * keeps its results, and a pinned result its call.
 *
 * Pure, O(messages). Undefined when no message is pinned, so that callers skip the check.
 */
export function pinOf(
  messages: readonly BaseMessage[],
  { pin: predicate, pinTools = [], ...files }: PinOptions,
): ((message: BaseMessage) => boolean) | undefined {
  const isMarked = (message: BaseMessage) => isPinned(message) || predicate?.(message) === true;
  const kept = new Set([...pinnedPairs(messages, pinTools, isMarked), ...pinnedFiles(messages, files).kept]);
  if (predicate === undefined && kept.size === 0 && !messages.some(isPinned)) return undefined;
  return (message) => kept.has(pinKey(message)) || isMarked(message);
}

/** Returns the calls of tools with their results, and the calls and results of which one is marked. */
function pinnedPairs(
  messages: readonly BaseMessage[],
  pinTools: readonly string[],
  isMarked: (message: BaseMessage) => boolean,
): ReadonlySet<string | BaseMessage> {
  const [tools, kept] = [new Set(pinTools), new Set<string | BaseMessage>()];
  const answers = new Map<string, BaseMessage>();
  // Ids of calls repeat: from the end, the newest answer is that of the nearest call.
  for (const message of messages.toReversed()) {
    if (isToolResult(message)) answers.set(message.tool_call_id, message);
    for (const call of toolCalls(message)) {
      const result = call.id === undefined ? undefined : answers.get(call.id);
      const pair = result === undefined ? [message] : [message, result];
      if (tools.has(call.name) || pair.some(isMarked)) for (const one of pair) kept.add(pinKey(one));
    }
  }
  return kept;
}
