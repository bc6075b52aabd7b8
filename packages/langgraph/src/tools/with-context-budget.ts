import type { BaseMessage, MessageContent } from "@langchain/core/messages";
import { copyMessage } from "@palimpsest/context";
import { isAi, isTaskBoundary, triggerTokens } from "@palimpsest/context/internal";
import { measureOf } from "../compaction/compaction-due.js";
import { isTooEarly } from "../compaction/refuse-request.js";
import type { ContextOptions } from "../edge/context-options.js";
import type { CompactionState } from "../edge/context-state.js";
import { resolveOptions } from "../edge/resolve-options.js";

export interface ContextBudgetOptions extends ContextOptions {
  /** The state's `compaction`, which makes the fill exact after a compaction. */
  readonly compaction?: CompactionState | undefined;
}

/**
 * Returns the messages with a line on how full the context is, and when to call `compress_context`, at the end of the
 * newest: to be sent, not stored.
 *
 * It stands at the end, so the prompt's prefix holds; in tens of percent; and only where a request would be carried
 * out, so a short context is sent as it is. Pure.
 * @throws ContextError when an option cannot work.
 */
export function withContextBudget(
  messages: readonly BaseMessage[],
  options: ContextBudgetOptions,
): readonly BaseMessage[] {
  const resolved = resolveOptions({ agentControlled: true, ...options });
  const newest = messages.at(-1);
  if (newest === undefined || isAi(newest)) return messages;
  const { tokens } = measureOf(messages, resolved, options.compaction);
  if (isTooEarly({ tokens, messages: messages.length }, resolved)) return messages;
  const { contextWindow, trigger } = resolved;
  const net = triggerTokens(trigger, contextWindow);
  const line = [
    `[Context: about ${Math.round((10 * tokens) / contextWindow) * 10} % of the window is used`,
    net === undefined ? "." : `; at ${Math.round((100 * net) / contextWindow)} % it is compacted for you.`,
    isTaskBoundary(messages)
      ? " A piece of work has just ended: unless you need its details, call compress_context before you go on.]"
      : " Go on, and call compress_context when the present piece of work is done.]",
  ].join("");
  return [...messages.slice(0, -1), copyMessage(newest, { content: appended(newest.content, line) })];
}

function appended(content: MessageContent, line: string): MessageContent {
  if (typeof content === "string") return content === "" ? line : `${content}\n\n${line}`;
  return [...content, { type: "text", text: line }];
}
