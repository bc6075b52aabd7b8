import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import type { NodeConfig } from "./run-config.js";

/** The part of LangGraph's (1.x) handlers of message streams that says which messages they have emitted already. */
interface StreamHandler {
  readonly name?: string;
  readonly seen?: Record<string, unknown>;
}

/**
 * Keeps the stand-ins that a step has put into the messages out of the `messages` stream: a subgraph returns its whole state. The
 * messages that were there before are shown as ever.
 */
export function hideStandIns(
  after: readonly BaseMessage[],
  before: readonly BaseMessage[],
  config: NodeConfig | undefined,
): void {
  if (after === before) return;
  const known = new Set(before.map(({ id }) => id));
  hideFromStream(
    after.filter((message) => foldOf(message) !== undefined && !known.has(message.id)),
    config,
  );
}

/**
 * Keeps messages out of the `messages` stream, which else shows whatever message a node returns, such as those of a separate channel.
 * Does nothing without such a stream.
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
