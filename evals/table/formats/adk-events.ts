import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import {
  createEvent,
  getFunctionCalls,
  getFunctionResponses,
  isCompactedEvent,
  type Event,
} from "@google/adk";
import { toolCalls } from "@palimpsest/context";
import { isAi, isToolResult, messageText } from "@palimpsest/context/internal";
import type { Format } from "./translator.js";

type Part = NonNullable<NonNullable<Event["content"]>["parts"]>[number];

/** Events of the Agent Development Kit, of an agent with the name "agent". */
export const adkFormat: Format<Event> = {
  toTheirs(turn) {
    const [first] = turn;
    const isModel = first !== undefined && isAi(first);
    const author = isModel || (first !== undefined && isToolResult(first)) ? "agent" : "user";
    return createEvent({
      author,
      content: { role: isModel ? "model" : "user", parts: turn.flatMap(partsOf) },
    });
  },
  toOurs(event) {
    // As the kit itself shows a compacted event to the model.
    if (isCompactedEvent(event))
      return [new HumanMessage(`[Previous Context Summary]:\n${event.compactedContent}`)];
    const results = getFunctionResponses(event).map(
      ({ id = "", name = "tool", response }) =>
        new ToolMessage({ tool_call_id: id, name, content: String(response?.["output"]) }),
    );
    if (results.length > 0) return results;
    const content = (event.content?.parts ?? []).flatMap(({ text }) => text ?? []).join("\n");
    if (event.content?.role !== "model") return [new HumanMessage(content)];
    const calls = getFunctionCalls(event).map(({ id = "", name = "tool", args = {} }) => ({
      id,
      name,
      args,
    }));
    return [new AIMessage({ content, tool_calls: calls })];
  },
};

function partsOf(message: BaseMessage): readonly Part[] {
  const text = messageText(message);
  if (isToolResult(message)) {
    const { tool_call_id: id, name = "tool" } = message;
    return [{ functionResponse: { id, name, response: { output: text } } }];
  }
  const calls = toolCalls(message).map(({ id = "", name, args }) => ({ functionCall: { id, name, args } }));
  return text === "" ? calls : [{ text }, ...calls];
}
