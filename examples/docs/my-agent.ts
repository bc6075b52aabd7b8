// What the documentation's examples call your own: a model, tools, and a node that calls the model.
import { tool, type StructuredToolInterface } from "@langchain/core/tools";
import type { BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";

export const model = new ChatOpenAI({ model: "gpt-4o" });

export const myTools = [
  tool(({ topic }) => `What is known of ${topic}.`, {
    name: "look_up",
    description: "Looks a topic up.",
    schema: z.object({ topic: z.string() }),
  }),
];

/** Returns a node that calls the model with these tools. */
export function callModel(model: ChatOpenAI, tools: StructuredToolInterface[]) {
  return async ({ messages }: { messages: BaseMessage[] }) => ({
    messages: [await model.bindTools(tools).invoke(messages)],
  });
}
