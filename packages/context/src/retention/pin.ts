import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../messages/copy-message.js";
import { filePathOf, isToolResult, toolCalls } from "../messages/tool-calls.js";

const key = "palimpsest_pin";

/** Returns a copy of a message that every compaction keeps unchanged, with its whole call and results. Pure. */
export function pin<Message extends BaseMessage>(message: Message): Message {
  return copyMessage(message, { additional_kwargs: { ...message.additional_kwargs, [key]: true } });
}

/** True for a message that `pin` has marked. */
export function isPinned(message: BaseMessage): boolean {
  return message.additional_kwargs?.[key] === true;
}

export interface PinOptions {
  /** True for messages that stay. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** Tools whose calls and results stay. */
  readonly pinTools?: readonly string[] | undefined;
  /** Files whose reads and writes stay: a path, or its last parts (`AGENTS.md`, `docs/plan.md`). */
  readonly pinFiles?: readonly string[] | undefined;
}

/**
 * Returns a predicate for pinned messages: pinned by mark, by the `pin` option, by tool or by file.
 *
 * Pure, O(messages). Undefined when no message is pinned, so that callers skip the check.
 */
export function pinOf(
  messages: readonly BaseMessage[],
  { pin: predicate, pinTools = [], pinFiles = [] }: PinOptions,
): ((message: BaseMessage) => boolean) | undefined {
  const tools = new Set(pinTools);
  const exempt = new Set<string>();
  if (tools.size > 0 || pinFiles.length > 0) {
    const answers = new Map<string, string>();
    for (const message of messages) {
      if (isToolResult(message) && message.id !== undefined) answers.set(message.tool_call_id, message.id);
    }
    for (const message of messages) {
      for (const call of toolCalls(message)) {
        const path = filePathOf(call);
        const isExempt = tools.has(call.name) || (path !== undefined && isNamed(path, pinFiles));
        const result = call.id === undefined ? undefined : answers.get(call.id);
        if (isExempt) for (const id of [message.id, result]) if (id !== undefined) exempt.add(id);
      }
    }
  }
  if (predicate === undefined && exempt.size === 0 && !messages.some(isPinned)) return undefined;
  return (message) => isPinned(message) || exempt.has(message.id ?? "") || predicate?.(message) === true;
}

function isNamed(path: string, names: readonly string[]): boolean {
  return names.some((name) => path === name || path.endsWith(`/${name.replace(/^\/+/, "")}`));
}
