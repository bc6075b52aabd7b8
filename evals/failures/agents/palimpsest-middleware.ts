import { MemorySaver } from "@langchain/langgraph";
import { compactionNode } from "@palimpsest/langgraph";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { createAgent } from "langchain";
import type { BaseMessage } from "@langchain/core/messages";
import { WorldModel } from "../world/world-model.js";
import type { World } from "../world/world.js";
import type { Agent, AgentOptions } from "./agent.js";
import { deltaState } from "./delta-state.js";
import { inLargerGraph } from "./in-larger-graph.js";
import { palimpsestFiles, readPalimpsestFiles } from "./palimpsest-files.js";
import { palimpsestOptions } from "./palimpsest-options.js";
import { runGraph } from "./run-graph.js";

const configurable = { thread_id: "prepared" };

/** Returns a `createAgent` agent with the context middleware; in a larger graph, that has the compaction node as well. */
export function palimpsestMiddleware(world: World, agentOptions: AgentOptions = {}): Agent {
  const model = new WorldModel(world);
  const files = palimpsestFiles(world.storage);
  const options = palimpsestOptions(model, files, agentOptions);
  const saver = new MemorySaver();
  const { nested = false } = agentOptions;
  const agent = createAgent({
    model,
    tools: [...(world.tools ?? [])],
    middleware: [contextMiddleware(options)],
    ...(nested ? {} : { checkpointer: saver }),
    ...(agentOptions.delta === true ? { stateSchema: deltaState } : {}),
  });
  const compact = compactionNode(options);
  const graph = nested ? inLargerGraph(agent.graph, saver, compact) : agent.graph;
  const prepare = (messages: readonly BaseMessage[]) =>
    compact({ messages, compaction: {} }, { configurable });
  const read = (thread: string, values: Record<string, unknown>) =>
    readPalimpsestFiles(files, thread, values);
  return runGraph({ graph, model, saver, files: read, prepare });
}
