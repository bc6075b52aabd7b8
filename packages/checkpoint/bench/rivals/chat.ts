import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { END, MessagesDeltaValue, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";

export const thread = { configurable: { thread_id: "bench" } };

/** The same for every saver: what is written is stored when a step ends. */
export const run = { ...thread, recursionLimit: 1e6, durability: "sync" } as const;

export interface ChatOptions {
  readonly saver: BaseCheckpointSaver;
  readonly isDelta: boolean;
  /** Returns the message of the next step. */
  readonly next: () => BaseMessage;
  /** Whether another step follows. @default no */
  readonly goesOn?: () => boolean;
}

export type Chat = ReturnType<typeof chat>;

/** A node that adds one message at each step. */
export function chat({ saver, isDelta, next, goesOn }: ChatOptions) {
  const messages = (isDelta ? MessagesDeltaValue : MessagesValue) as typeof MessagesValue;
  return new StateGraph(new StateSchema({ messages }))
    .addNode("step", () => ({ messages: [next()] }))
    .addEdge(START, "step")
    .addConditionalEdges("step", () => (goesOn?.() === true ? "step" : END))
    .compile({ checkpointer: saver });
}

/** A graph that is only read. */
export function reader(saver: BaseCheckpointSaver, isDelta: boolean): Chat {
  return chat({ saver, isDelta, next: () => new AIMessage("") });
}

export function textsOf({ messages }: { readonly messages?: readonly BaseMessage[] }): string[] {
  return (messages ?? []).map(({ text }) => text);
}

/** Returns the state at every checkpoint, newest first. */
export async function historyOf(graph: Chat) {
  const states: Awaited<ReturnType<Chat["getState"]>>[] = [];
  for await (const state of graph.getStateHistory(thread)) states.push(state);
  return states;
}
