import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { isAi } from "@palimpsest/context/internal";
import type { NodeConfig } from "../run-config.js";
import type { CompactionState } from "./context-state.js";
import { writeState } from "./node-state.js";

/** What `createAgent` hands to a middleware as the model's reply. */
type AgentReply = AIMessage | { readonly messages: BaseMessage[]; readonly structuredResponse: unknown };

/**
 * Returns the messages of a model's reply and, for structured output, the update that keeps it.
 *
 * `createAgent` returns structured output beside the messages, and does not add it to a command.
 */
export function partsOf(reply: AgentReply): {
  readonly said: readonly BaseMessage[];
  readonly structured: { readonly structuredResponse?: unknown };
} {
  if (!("structuredResponse" in reply)) return { said: [reply], structured: {} };
  const { messages: said, structuredResponse } = reply;
  return { said, structured: { structuredResponse } };
}

interface ReplyUpdate {
  /** Messages that take the place of those with the same ids. Even without any, they say that the state's have changed. */
  readonly messages?: readonly BaseMessage[] | undefined;
  readonly compaction?: CompactionState | undefined;
}

/**
 * Returns what a middleware answers a model call with, so that the update reaches the state: the reply itself wherever
 * possible, because other middleware goes on with it.
 *
 * Beside structured output `createAgent` writes all messages as the node has read them, over what has changed of them. There
 * the answer is a command with the output, and with the messages behind the model's own, which is the only one that the host
 * adds: for structured output by a tool call they are the result of that call and a closing message.
 */
export function answerWith(
  reply: AgentReply,
  { messages, compaction }: ReplyUpdate,
  config: NodeConfig,
): AIMessage | Command {
  const { said, structured } = partsOf(reply);
  const isReplied = messages === undefined || !("structuredResponse" in structured);
  const changes = compaction === undefined ? {} : { compaction };
  const changed = messages === undefined || messages.length === 0 ? {} : { messages: [...messages] };
  const update = { ...changed, ...changes };
  if (isReplied && (Object.keys(update).length === 0 || writeState(update, config)))
    return reply as AIMessage;
  const added = [...(messages ?? []), ...said.slice(said.findIndex(isAi) + 1)];
  return new Command({
    update: { ...structured, ...changes, ...(added.length === 0 ? {} : { messages: added }) },
  });
}
