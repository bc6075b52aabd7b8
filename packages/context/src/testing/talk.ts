import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type AIMessageFields,
} from "@langchain/core/messages";

/** Short constructors of messages for tests: the id first, then the content. */
export const talk = {
  system: (id: string, content: string): SystemMessage => new SystemMessage({ id, content }),
  human: (id: string, content: string): HumanMessage => new HumanMessage({ id, content }),
  ai: (id: string, content: string, inputTokens?: number): AIMessage =>
    new AIMessage({ id, content, ...usage(inputTokens) } as AIMessageFields),
  /** An AI message that calls tools: call id -> name and arguments. */
  calls: (id: string, calls: Readonly<Record<string, Call>>, inputTokens?: number): AIMessage =>
    new AIMessage({
      id,
      content: "",
      tool_calls: Object.entries(calls).map(([callId, [name, args = {}]]) => ({
        type: "tool_call" as const,
        id: callId,
        name,
        args,
      })),
      ...usage(inputTokens),
    } as AIMessageFields),
  result: (id: string, callId: string, content: string): ToolMessage =>
    new ToolMessage({ id, content, tool_call_id: callId, name: "tool" }),
  error: (id: string, callId: string, content: string): ToolMessage =>
    new ToolMessage({ id, content, tool_call_id: callId, name: "tool", status: "error" }),
};

type Call = readonly [name: string, args?: Record<string, unknown>];

function usage(inputTokens: number | undefined) {
  if (inputTokens === undefined) return {};
  return { usage_metadata: { input_tokens: inputTokens, output_tokens: 1, total_tokens: inputTokens + 1 } };
}
