import type { BaseMessage } from "@langchain/core/messages";
import {
  MemorySaver,
  MessagesDeltaValue,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import {
  compactionNode,
  contextState,
  fileTools,
  offloadTools,
  overflowErrorHandler,
  type ContextOptions,
} from "@palimpsest/langgraph";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { VirtualFilesystem, type Files } from "@palimpsest/vfs";
import { UnsteadyDriver, type WriteFate } from "../../live/unsteady-driver.js";
import { WorldModel } from "../world/world-model.js";
import type { StorageState, World } from "../world/world.js";
import { type Agent, agentOf, type AgentOptions, inLargerGraph, type RunnableGraph } from "./agent.js";
import { agentGraph } from "./langchain-agents.js";

/** Window, in tokens, for a model without a profile: the size that deepagents assumes. */
const assumedWindow = 200_000;

/** What becomes of a write; one that the engine of another system refuses is acknowledged here. */
const fates: Readonly<Record<StorageState, WriteFate>> = { sound: "kept", throws: "throws", refuses: "deaf" };

interface Parts {
  readonly world: World;
  readonly model: WorldModel;
  readonly saver: MemorySaver;
  readonly options: ContextOptions & { readonly files: VirtualFilesystem };
}

/** Returns an agent built by hand, with the compaction node before its model. */
export function palimpsestNodes(world: World, agentOptions?: AgentOptions): Agent {
  return palimpsestAgent(world, nodesGraph, agentOptions);
}

/** Returns a `createAgent` agent with the context middleware; in a larger graph, that has the compaction node as well. */
export function palimpsestMiddleware(world: World, agentOptions?: AgentOptions): Agent {
  return palimpsestAgent(world, middlewareGraph, agentOptions);
}

function palimpsestAgent(
  world: World,
  graphOf: (parts: Parts, agentOptions: AgentOptions) => RunnableGraph,
  agentOptions: AgentOptions = {},
): Agent {
  const model = new WorldModel(world);
  const saver = new MemorySaver();
  const driver = new UnsteadyDriver(() => fates[world.storage ?? "sound"]);
  const files = new VirtualFilesystem({ driver });
  const options = { files, model, contextWindow: world.window ?? assumedWindow };
  const graph = graphOf({ world, model, saver, options }, agentOptions);
  const compact = compactionNode(options);
  return agentOf({
    graph: agentOptions.nested === true ? inLargerGraph(graph, saver, compact) : graph,
    model,
    saver,
    files: (thread, values) => readFiles(files.thread(thread, (values["files"] ?? {}) as Files), values),
    prepare: (messages: readonly BaseMessage[]) =>
      compact({ messages, compaction: {} }, { configurable: { thread_id: "prepared" } }),
  });
}

function nodesGraph({ world, model, saver, options }: Parts, agentOptions: AgentOptions): RunnableGraph {
  const bound = model.bindTools();
  const run = new ToolNode([...offloadTools(world.tools ?? [], options), ...fileTools(options)]);
  const messages = agentOptions.delta === true ? MessagesDeltaValue : MessagesValue;
  const state = new StateSchema({ messages: messages as typeof MessagesValue, ...contextState });
  return (
    new StateGraph(state)
      .addNode("model", async ({ messages }) => ({ messages: [await bound.invoke(messages)] }), {
        errorHandler: overflowErrorHandler(options),
        ends: ["model"],
      })
      // LangGraph's ToolNode answers no call whose id has an answer in the list: hand it the newest message alone.
      .addNode("tools", (current, config) =>
        run.invoke({ ...current, messages: current.messages.slice(-1) }, config),
      )
      .addNode("compact", compactionNode(options))
      .addEdge(START, "compact")
      .addEdge("compact", "model")
      .addConditionalEdges("model", toolsCondition)
      .addEdge("tools", "compact")
      .compile(agentOptions.nested === true ? {} : { checkpointer: saver })
  );
}

function middlewareGraph(parts: Parts, agentOptions: AgentOptions): RunnableGraph {
  return agentGraph({ ...parts, middleware: contextMiddleware(parts.options) }, agentOptions);
}

/** Returns path -> text of a thread's archive and workspace. */
async function readFiles(
  { archive, backend }: ReturnType<VirtualFilesystem["thread"]>,
  values: Record<string, unknown>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const { path } of archive.list()) found.set(path, await archive.readText(path));
  for (const path of Object.keys(values["files"] ?? {})) {
    const { data } = await backend.readRaw(path);
    found.set(path, typeof data?.content === "string" ? data.content : "");
  }
  return found;
}
