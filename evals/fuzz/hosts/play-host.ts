import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph, type MemorySaver } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { contextInput, contextInputFor, type GraphNode } from "@palimpsest/langgraph";
import { createAgent, type AgentMiddleware } from "langchain";
import { z } from "zod";
import { ScriptedChat, type Answer } from "../../live/scripted-chat.js";

/** What a play needs of a compiled graph. */
export interface PlayedGraph {
  invoke(input: unknown, config: RunnableConfig & { interruptBefore?: unknown }): Promise<unknown>;
  getState(config: RunnableConfig): Promise<{
    readonly values: unknown;
    readonly next: readonly string[];
    readonly config: RunnableConfig;
  }>;
  updateState(config: RunnableConfig, values: unknown, asNode?: string): Promise<unknown>;
}

/** The host around a strategy: a graph of nodes, an agent, or an agent inside a graph. */
export type Family = "graph" | "agent" | "nested agent" | "nested agent with its own memory";

type Lists = Readonly<Record<string, BaseMessage[]>>;
type ModelNode = (state: Lists) => Promise<object> | object;

/** What a strategy adds to a host. Without any of it the host is the control. */
export interface Parts {
  /** Runs before each model call. */
  readonly node?: GraphNode;
  /** Decides whether the node runs. */
  readonly condition?: (state: object, config?: never) => "compact" | "model";
  readonly onError?: unknown;
  readonly wrapModel?: (callModel: ModelNode) => ModelNode;
  readonly middleware?: readonly AgentMiddleware[];
  readonly wrapTools?: (tools: readonly ReturnType<typeof tool>[]) => readonly unknown[];
  readonly outputKey?: string;
}

/** What the scripted world does in a host. */
export interface World {
  readonly answer: Answer;
  readonly result: (callId: string) => ToolMessage;
  readonly saver: MemorySaver;
  readonly window: number;
}

/** The node of a host after which its thread is updated by hand. */
export const lastNodes: Readonly<Record<Family, string>> = {
  graph: "model",
  agent: "model_request",
  "nested agent": "agent",
  "nested agent with its own memory": "agent",
};

/** Returns a compiled host with the parts of a strategy. */
export function buildHost(family: Family, parts: Parts, world: World): PlayedGraph {
  if (family === "graph") return buildGraph(parts, world);
  if (family === "agent") return agentOf(parts, world, world.saver) as unknown as PlayedGraph;
  const own = family === "nested agent with its own memory" ? true : undefined;
  const agent = agentOf({ middleware: parts.middleware ?? [] }, world, own);
  const { node, middleware = [] } = parts;
  // With the channels of the agent, what compaction remembers comes back to it.
  const channels = own === undefined && middleware.length > 0 ? { input: contextInput } : {};
  const graph = new StateGraph(MessagesAnnotation).addNode("agent", agent as never, channels as never);
  if (node === undefined) graph.addEdge(START, "agent");
  else {
    graph.addNode("compact", node as never, { input: contextInput } as never);
    graph.addEdge(START, "compact" as never).addEdge("compact" as never, "agent");
  }
  return graph.compile({ checkpointer: world.saver }) as unknown as PlayedGraph;
}

function toolsOf({ result }: World): readonly ReturnType<typeof tool>[] {
  return ["look", "read_rules"].map((name) =>
    tool(
      async (_, config: { readonly toolCall?: { readonly id?: string } }) =>
        result(config.toolCall?.id ?? ""),
      {
        name,
        description: name,
        schema: z.looseObject({}),
      },
    ),
  ) as never;
}

function agentOf({ middleware = [] }: Parts, world: World, checkpointer: MemorySaver | true | undefined) {
  const model = new ScriptedChat(world.answer, world.window);
  const given = { model, tools: toolsOf(world) as never, middleware: [...middleware] };
  return createAgent(checkpointer === undefined ? given : { ...given, checkpointer }).graph;
}

function buildGraph(parts: Parts, world: World): PlayedGraph {
  const { node, condition, wrapTools } = parts;
  const input = inputOf(parts);
  const tools = toolsOf(world);
  const graph = new StateGraph(MessagesAnnotation) as unknown as AnyGraph;
  addModel(graph, parts, world);
  const wrapped = wrapTools === undefined ? tools : wrapTools(tools);
  graph.addNode("tools", new ToolNode(wrapped as never), node === undefined ? {} : { input });
  if (node !== undefined) graph.addNode("compact", node, { input });
  const first = node === undefined ? "model" : "compact";
  for (const from of [START, "tools"]) {
    if (condition === undefined) graph.addEdge(from, first);
    else graph.addConditionalEdges(from, condition, ["compact", "model"]);
  }
  if (node !== undefined) graph.addEdge("compact", "model");
  graph.addConditionalEdges("model", afterModel, ["tools", "__end__"]);
  return graph.compile({ checkpointer: world.saver });
}

/** A control reads nothing but messages: it has no channels of compaction. */
function addModel(graph: AnyGraph, parts: Parts, world: World): void {
  const { node, onError, wrapModel, outputKey = "messages" } = parts;
  const callModel: ModelNode = (state) => ({ messages: [world.answer(state[outputKey] ?? [])] });
  const isControl = node === undefined && wrapModel === undefined;
  graph.addNode("model", wrapModel?.(callModel) ?? callModel, {
    ...(isControl ? {} : { input: inputOf(parts) }),
    ...(onError === undefined ? {} : { errorHandler: onError, ends: ["model"] }),
  });
}

function inputOf({ outputKey }: Parts) {
  return outputKey === undefined ? contextInput : contextInputFor({ outputKey });
}

interface AnyGraph {
  addNode(name: string, node: unknown, options?: object): unknown;
  addEdge(from: string, to: string): unknown;
  addConditionalEdges(from: string, route: unknown, ends: readonly string[]): unknown;
  compile(options: object): PlayedGraph;
}

function afterModel({ messages }: Lists): "tools" | "__end__" {
  return hasCalls(messages?.at(-1)) ? "tools" : "__end__";
}

function hasCalls(message: BaseMessage | undefined): boolean {
  return ((message as AIMessage | undefined)?.tool_calls?.length ?? 0) > 0;
}
