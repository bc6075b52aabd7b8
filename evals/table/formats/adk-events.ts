import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { createEvent, type Event } from "@google/adk";
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
  // The kit changes no event: what it makes is the summary, as it shows it to the model.
  toOurs: ({ compactedContent }: Event & { readonly compactedContent?: string }) => [
    new HumanMessage(`[Previous Context Summary]:\n${compactedContent}`),
  ],
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
