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
import type { World } from "../world/world.js";

/** How a system is set up beyond its defaults. */
export interface AgentOptions {
  /** The system's own storage of the default kind instead of a directory. @default false */
  readonly defaultStorage?: boolean;
  /** The messages are in a `MessagesDeltaValue`. @default false */
  readonly delta?: boolean;
  /** The agent is a node of a larger graph, which keeps the messages. @default false */
  readonly nested?: boolean;
}

export type BuildAgent = (world: World, options?: AgentOptions) => Agent;

/** An agent of some system in a world, as seen from outside. */
export type Agent = ReturnType<typeof agentOf>;

/** The part of a compiled graph that is used here. */
export interface RunnableGraph {
  invoke(input: never, config: object): Promise<unknown>;
  stream(input: never, config: never): Promise<AsyncIterable<unknown>>;
  getState(config: never): Promise<{ readonly values: unknown }>;
  updateState(config: never, values: never): Promise<unknown>;
}

interface AgentParts {
  readonly graph: RunnableGraph;
  readonly model: WorldModel;
  readonly saver: MemorySaver;
  /** Returns path -> text of all files that the agent of a thread can read. */
  readonly files: (thread: string, values: Record<string, unknown>) => Promise<ReadonlyMap<string, string>>;
  /** Runs only the system's context management before a model call. @default nothing */
  readonly prepare?: (messages: readonly BaseMessage[]) => unknown;
  /** Removes what the agent has stored. @default nothing */
  readonly close?: () => void;
}

/** Returns the agent around a compiled graph. */
export function agentOf({ graph, model, saver, files, prepare, close }: AgentParts) {
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
    /** Every call of its model, oldest first. */
    calls: model.calls,
    /** Errors that ended a run. */
    deaths: deaths as readonly unknown[],
    /** Resolves when the run has ended, with or without an error. */
    run: (messages: readonly BaseMessage[], thread?: string) =>
      survive(async () => {
        const values = (await graph.invoke(inputOf(messages), configOf(thread))) as Record<string, unknown>;
        returned = (values["messages"] ?? []) as BaseMessage[];
      }),
    /** Returns the messages that the last run returned; none before one has ended well. */
    returned: () => returned,
    prepare: prepare ?? (() => undefined),
    /** Returns the text of the run's message stream, as a user reads it. */
    async watch(messages: readonly BaseMessage[]): Promise<string> {
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
    /** Replaces what the state of a thread holds, as an application may. */
    async edit(messages: readonly BaseMessage[]): Promise<void> {
      await graph.updateState(configOf() as never, { messages: new Overwrite([...messages]) } as never);
    },
    /** Returns the messages in the state. */
    messages: async () => ((await values())["messages"] ?? []) as readonly BaseMessage[],
    files: async (thread = "t") => files(thread, await values(thread)),
    /** Returns the bytes that its checkpointer holds. */
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
