import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";

/** A message as the recorded sets hold it. */
export interface Line {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_calls?: readonly { id: string; name: string; args: Record<string, unknown> }[];
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly is_error?: boolean;
  readonly compaction?: boolean;
  readonly pre_tokens?: number | null;
  readonly usage_in?: number | null;
  readonly thinking?: string | null;
  readonly is_meta?: boolean;
}

/** Returns a recorded line as a message, without what was recorded beside it. */
export function toMessage(line: Line, id: string): BaseMessage {
  const { content } = line;
  if (line.role === "system") return new SystemMessage({ id, content });
  if (line.role === "tool" && line.tool_call_id !== undefined) return toolResult(line, id);
  // In logs without tool calls, output of other agents and terminals reaches the model as a user message.
  if (line.role !== "assistant") return new HumanMessage({ id, content });
  const calls = (line.tool_calls ?? []).map((call) => ({ ...call, type: "tool_call" as const }));
  return new AIMessage({ id, content, tool_calls: calls });
}

function toolResult({ content, tool_call_id = "", name, is_error }: Line, id: string): ToolMessage {
  const status = is_error === true ? "error" : "success";
  return new ToolMessage({ id, content, tool_call_id, status, ...(name === undefined ? {} : { name }) });
}
