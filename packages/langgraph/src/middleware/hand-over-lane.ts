import { BaseMessage, ToolMessage, type AIMessage } from "@langchain/core/messages";
import { isCommand } from "@langchain/langgraph";
import { toolCalls, type Lane } from "@palimpsest/context";
import { isAi } from "@palimpsest/context/internal";
import { handOver, withLaneUse, type LaneUse } from "../lanes/lane-use.js";
import { asAgentOf } from "../lanes/reading-agent.js";
import type { ToolCallRequest } from "langchain";
import { withUpdate } from "../with-update.js";
import { toldError } from "./tool-errors.js";

interface ToolRun {
  readonly lane: Lane | undefined;
  /** Tells the model of an error that the tool throws. */
  readonly isTold: boolean;
}

/**
 * Runs a tool as the agent of a lane, or of none. Of a subagent's state it hands on where the folds are, and not what its compaction
 * remembers.
 */
export async function runTool<Call extends Pick<ToolCallRequest, "toolCall">, Output>(
  call: Call,
  handler: (call: Call) => Output | Promise<Output>,
  { lane, isTold }: ToolRun,
): Promise<Output> {
  try {
    return withoutCompaction(handedOver(await asAgentOf(lane?.name, async () => handler(call))));
  } catch (error) {
    throw isTold ? toldError(error, call) : error;
  }
}

/**
 * Returns what a tool has returned, with where the folds of a subagent are on the result, if the tool returns the state of one that
 * has a lane, as `task` of deepagents does. Anything else is returned as it is.
 */
export function handedOver<Output>(output: Output): Output {
  if (!isCommand(output) || typeof output.update !== "object" || output.update === null) return output;
  const { update } = output;
  const state = Array.isArray(update) ? Object.fromEntries(update) : update;
  const marked = (messages: unknown) =>
    Array.isArray(messages)
      ? messages.map((one: unknown) => (ToolMessage.isInstance(one) ? handOver(one, state) : one))
      : messages;
  if (handOver(probe, state) === probe) return output;
  const changed = Array.isArray(update)
    ? update.map(([channel, value]): [string, unknown] => [
        channel,
        channel === "messages" ? marked(value) : value,
      ])
    : { ...update, messages: marked(state["messages"]) };
  return withUpdate(output, changed) as Output;
}

const probe = new ToolMessage({ content: "", tool_call_id: "" });

/**
 * Returns a tool's output without what another agent's compaction remembers. A tool that runs a subagent, such as `task` of
 * deepagents, returns the whole state of that agent, whose window and sizes say nothing of the agent that called it.
 */
function withoutCompaction<Output>(output: Output): Output {
  if (!isCommand(output)) return output;
  const { update } = output;
  if (typeof update !== "object" || update === null) return output;
  if (Array.isArray(update)) {
    const others = update.filter(([channel]) => channel !== "compaction");
    return withUpdate(output, others) as Output;
  }
  if (!("compaction" in update)) return output;
  const { compaction: _, ...others } = update;
  return withUpdate(output, others) as Output;
}

type Reply = AIMessage | { readonly messages: BaseMessage[]; readonly structuredResponse: unknown };

/** Returns the reply of an agent with a lane; one that ends its run says where the folds are. */
export function lastReply<One extends Reply>(reply: One, use: LaneUse | undefined): One {
  if (use === undefined) return reply;
  const ended = (message: BaseMessage) =>
    isAi(message) && toolCalls(message).length === 0 ? withLaneUse(message, use) : message;
  if (BaseMessage.isInstance(reply)) return ended(reply) as One;
  const { messages, structuredResponse } = reply;
  return { messages: messages.map(ended), structuredResponse } as One;
}
