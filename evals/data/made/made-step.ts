import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";

export interface MadeStep {
  /** Ends the ids of both messages, `a…` and `t…`. */
  readonly id: string | number;
  /** @default `call-` and the id */
  readonly callId?: string;
  /** What the agent says as it makes the call. */
  readonly said: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly result: string;
}

/** Returns a step of a generated run: an answer that calls one tool, and the result of the call. Pure. */
export function madeStep({
  id,
  callId = `call-${id}`,
  said,
  name,
  args,
  result,
}: MadeStep): readonly BaseMessage[] {
  const call = { id: callId, type: "tool_call" as const, name, args };
  return [
    new AIMessage({ id: `a${id}`, content: said, tool_calls: [call] }),
    new ToolMessage({ id: `t${id}`, name, tool_call_id: callId, content: result }),
  ];
}
