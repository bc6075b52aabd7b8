import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import type { NodeUpdate } from "../run/node-state.js";

export interface HistoryOptions {
  /** Steps, with one call each. */
  readonly steps: number;
  /** Returns the result of a step. @default a sentence */
  readonly result?: (step: number) => string;
  /** Returns the arguments of a step's call. @default `{ step }` */
  readonly args?: (step: number) => Record<string, unknown>;
  /** @default "search" */
  readonly toolName?: string;
}

/** Returns a question and the steps after it. The model has not seen the last result. */
export function history({
  steps,
  result = (step) => `Step ${step} found the value ${step * 7919}.`,
  args = (step) => ({ step }),
  toolName = "search",
}: HistoryOptions): BaseMessage[] {
  const stepMessages = Array.from({ length: steps }, (_, step) => [
    new AIMessage({
      id: `ai-${step}`,
      content: `Looking at ${step}.`,
      tool_calls: [{ id: `call-${step}`, name: toolName, args: args(step) }],
    }),
    new ToolMessage({
      id: `result-${step}`,
      name: toolName,
      content: result(step),
      tool_call_id: `call-${step}`,
    }),
  ]);
  return [
    new HumanMessage({ id: "question", content: "Find every value. Never guess one." }),
    ...stepMessages.flat(),
  ];
}

/** Returns the messages after a node's update; `before` where the update changes none. */
export function messagesAfter(update: NodeUpdate, before: readonly BaseMessage[]): readonly BaseMessage[] {
  const messages = update["messages"];
  return Overwrite.isInstance(messages) ? (messages.value as BaseMessage[]) : before;
}

/** Returns text of about `tokens` tokens in which every line is different. */
export function filler(tokens: number, seed = 1): string {
  const lines = Math.ceil(tokens / 10.6);
  return Array.from(
    { length: lines },
    (_, line) => `row ${line} of ${seed} holds ${line * 31 + seed * 7919}`,
  ).join("\n");
}
