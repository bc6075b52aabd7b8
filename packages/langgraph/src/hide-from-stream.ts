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
 * Those of `thread` are shown as ever: a graph around this one may show them when it ends. Does nothing without such a stream.
 */
export function hideFromStream(
  messages: readonly BaseMessage[],
  config: NodeConfig | undefined,
  thread: readonly BaseMessage[] = [],
): void {
  const streams = handlersOf(config).filter(({ name = "" }) => streamHandlers.has(name));
  if (streams.length === 0) return;
  const shown = new Set(thread.map(({ id }) => id));
  for (const { seen = {} } of streams) {
    for (const message of messages)
      if (message.id !== undefined && !shown.has(message.id)) seen[message.id] ??= message;
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
