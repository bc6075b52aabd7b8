import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";

/** Returns a message of a session without what was recorded beside it: a policy must not see the counts of the recording. */
export function plainMessage(message: BaseMessage): BaseMessage {
  const fields = { id: message.id ?? "", content: message.content };
  if (SystemMessage.isInstance(message)) return new SystemMessage(fields);
  if (AIMessage.isInstance(message))
    return new AIMessage({ ...fields, tool_calls: message.tool_calls ?? [] });
  if (!ToolMessage.isInstance(message)) return new HumanMessage(fields);
  const { tool_call_id, name, status = "success" } = message;
  return new ToolMessage({ ...fields, tool_call_id, status, ...(name === undefined ? {} : { name }) });
}
