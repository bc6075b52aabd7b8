import type { BaseMessage } from "@langchain/core/messages";
import {
  MessagesValue,
  Overwrite,
  START,
  StateGraph,
  StateSchema,
  type MemorySaver,
} from "@langchain/langgraph";
import type { GraphNode } from "@palimpsest/langgraph";
import type { WorldModel } from "../world/world-model.js";
import type { Agent } from "./agent.js";

/** The part of a compiled graph that is used here. */
export interface RunnableGraph {
  invoke(input: never, config: object): Promise<unknown>;
  stream(input: never, config: never): Promise<AsyncIterable<unknown>>;
  getState(config: never): Promise<{ readonly values: unknown }>;
  updateState(config: never, values: never): Promise<unknown>;
}

export interface RunGraphOptions {
  readonly graph: RunnableGraph;
  readonly model: WorldModel;
  readonly saver: MemorySaver;
  readonly files: (thread: string, values: Record<string, unknown>) => Promise<ReadonlyMap<string, string>>;
  readonly prepare?: (messages: readonly BaseMessage[]) => unknown;
  readonly close?: () => void;
}

/** Returns the agent around a compiled graph. */
export function runGraph({ graph, model, saver, files, prepare, close }: RunGraphOptions): Agent {
  let returned: readonly BaseMessage[] = [];
  const deaths: unknown[] = [];
  async function values(thread?: string): Promise<Record<string, unknown>> {
    return (await graph.getState(configOf(thread) as never)).values as Record<string, unknown>;
  }
  async function survive(run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      deaths.push(error);
    }
  }
  return {
    calls: model.calls,
    deaths,
    run: (messages, thread) =>
      survive(async () => {
        const values = (await graph.invoke(inputOf(messages), configOf(thread))) as Record<string, unknown>;
        returned = (values["messages"] ?? []) as BaseMessage[];
      }),
    returned: () => returned,
    prepare: prepare ?? (() => undefined),
    async watch(messages) {
      const seen: string[] = [];
      await survive(async () => {
        const config = { ...configOf(), streamMode: "messages" } as never;
        for await (const event of await graph.stream(inputOf(messages), config)) {
          const [message] = event as [BaseMessage];
          if (message.getType() === "ai") seen.push(message.text);
        }
      });
      return seen.join("");
    },
    async edit(messages) {
      await graph.updateState(configOf() as never, { messages: new Overwrite([...messages]) } as never);
    },
    messages: async (thread) => ((await values(thread))["messages"] ?? []) as BaseMessage[],
    files: async (thread = "t") => files(thread, await values(thread)),
    storedBytes: () => storedBytes(saver),
    close: close ?? (() => undefined),
  };
}

/** Returns a graph that has the messages and runs an agent as a node, after a node of its own when there is one. */
export function inLargerGraph(agent: RunnableGraph, saver: MemorySaver, before?: GraphNode): RunnableGraph {
  return new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("before", before ?? (() => ({})))
    .addNode("agent", agent as never)
    .addEdge(START, "before")
    .addEdge("before", "agent")
    .compile({ checkpointer: saver });
}

function configOf(thread = "t") {
  return { configurable: { thread_id: thread }, recursionLimit: 250 };
}

function inputOf(messages: readonly BaseMessage[]) {
  return { messages: [...messages] } as never;
}

function storedBytes({ storage, writes }: MemorySaver): number {
  let sum = 0;
  JSON.stringify([storage, writes], (_, value: unknown) => {
    if (!(value instanceof Uint8Array)) return value;
    sum += value.byteLength;
    return undefined;
  });
  return sum;
}
