import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from "ai";

/** Returns messages of the Vercel AI SDK as LangChain's: text and tool calls. The ids are their positions, which do not change. */
export function fromModelMessages(messages: readonly ModelMessage[]): BaseMessage[] {
  return messages.flatMap((message, at): BaseMessage[] => {
    const id = `m${at}`;
    if (message.role === "tool") return resultsOf(message, id);
    const content = textOf(message.content);
    if (message.role === "assistant") return [new AIMessage({ id, content, tool_calls: callsOf(message) })];
    return [
      message.role === "system" ? new SystemMessage({ id, content }) : new HumanMessage({ id, content }),
    ];
  });
}

/** Returns LangChain's messages as those of the Vercel AI SDK. */
export function toModelMessages(messages: readonly BaseMessage[]): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    if (ToolMessage.isInstance(message)) {
      const { tool_call_id: toolCallId, name: toolName = "", text: value } = message;
      const result = { type: "tool-result", toolCallId, toolName, output: { type: "text", value } } as const;
      return { role: "tool", content: [result] };
    }
    const text = { type: "text", text: message.text } as const;
    if (SystemMessage.isInstance(message)) return { role: "system", content: message.text };
    if (!AIMessage.isInstance(message)) return { role: "user", content: [text] };
    const calls = (message.tool_calls ?? []).map(
      ({ id = "", name, args }) =>
        ({ type: "tool-call", toolCallId: id, toolName: name, input: args }) as const,
    );
    return { role: "assistant", content: [...(text.text === "" ? [] : [text]), ...calls] };
  });
}

function textOf(content: ModelMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function callsOf({ content }: AssistantModelMessage) {
  if (typeof content === "string") return [];
  return content.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.toolCallId, name: part.toolName, args: part.input as Record<string, unknown> }]
      : [],
  );
}

function resultsOf({ content }: ToolModelMessage, id: string): ToolMessage[] {
  return content.flatMap((part, at) => {
    if (part.type !== "tool-result") return [];
    const { output, toolCallId: tool_call_id, toolName: name } = part;
    const text =
      output.type === "text" || output.type === "error-text" ? output.value : JSON.stringify(output);
    return [new ToolMessage({ id: `${id}-${at}`, tool_call_id, name, content: text })];
  });
}
