import type { BaseMessage } from "@langchain/core/messages";
import type { NodeConfig } from "../run-config.js";

/** The part of LangGraph's (1.x) handlers of message streams that says which messages they have emitted already. */
interface StreamHandler {
  readonly name?: string;
  readonly seen?: Record<string, unknown>;
}

/**
 * Keeps the messages that a node writes to a separate channel out of the `messages` stream, which else shows whatever message a
 * node returns. Does nothing without such a stream.
 */
export function hideFromStream(messages: readonly BaseMessage[], config: NodeConfig | undefined): void {
  for (const { name = "", seen } of handlersOf(config)) {
    if (!streamHandlers.has(name) || seen === undefined) continue;
    for (const message of messages) if (message.id !== undefined) seen[message.id] ??= message;
  }
}

function handlersOf(config: NodeConfig | undefined): readonly StreamHandler[] {
  const { callbacks } = (config ?? {}) as { readonly callbacks?: { readonly handlers?: unknown } };
  return Array.isArray(callbacks?.handlers) ? (callbacks.handlers as StreamHandler[]) : [];
}

const streamHandlers: ReadonlySet<string> = new Set([
  "StreamMessagesHandler",
  "StreamProtocolMessagesHandler",
]);
