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
} from "@palimpsest/langgraph";
import { WorldModel } from "../world/world-model.js";
import type { World } from "../world/world.js";
import type { Agent, AgentOptions } from "./agent.js";
import { inLargerGraph } from "./in-larger-graph.js";
import { palimpsestFiles, readPalimpsestFiles } from "./palimpsest-files.js";
import { palimpsestOptions } from "./palimpsest-options.js";
import { runGraph } from "./run-graph.js";

const configurable = { thread_id: "prepared" };

/** Returns an agent built by hand, with the compaction node before its model. */
export function palimpsestNodes(world: World, agentOptions: AgentOptions = {}): Agent {
  const model = new WorldModel(world);
  const files = palimpsestFiles(world.storage);
  const options = palimpsestOptions(model, files, agentOptions);
  const bound = model.bindTools();
  const tools = [...offloadTools(world.tools ?? [], options), ...fileTools({ files })];
  const saver = new MemorySaver();
  const run = new ToolNode(tools);
  const messages = agentOptions.delta === true ? MessagesDeltaValue : MessagesValue;
  const state = new StateSchema({ messages: messages as typeof MessagesValue, ...contextState });
  const compact = compactionNode(options);
  const graph = new StateGraph(state)
    .addNode("model", async ({ messages }) => ({ messages: [await bound.invoke(messages)] }), {
      errorHandler: overflowErrorHandler(options),
      ends: ["model"],
    })
    // LangGraph's ToolNode answers no call whose id has an answer in the list: hand it the newest message alone.
    .addNode("tools", (current, config) =>
      run.invoke({ ...current, messages: current.messages.slice(-1) }, config),
    )
    .addNode("compact", compact)
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile(agentOptions.nested === true ? {} : { checkpointer: saver });
  const whole = agentOptions.nested === true ? inLargerGraph(graph, saver, compact) : graph;
  const prepare = (list: readonly BaseMessage[]) =>
    compact({ messages: list, compaction: {} }, { configurable });
  const read = (thread: string, values: Record<string, unknown>) =>
    readPalimpsestFiles(files, thread, values);
  return runGraph({ graph: whole, model, saver, files: read, prepare });
}
