import { MemorySaver } from "@langchain/langgraph";
import { createAgent, type AgentMiddleware } from "langchain";
import { WorldModel } from "../world/world-model.js";
import type { World } from "../world/world.js";
import type { Agent, AgentOptions } from "./agent.js";
import { deltaState } from "./delta-state.js";
import { inLargerGraph } from "./in-larger-graph.js";
import { runGraph } from "./run-graph.js";

/** Returns a `createAgent` agent with one middleware, made for the model of its world. */
export function langchainAgent(
  world: World,
  middleware: (model: WorldModel) => AgentMiddleware,
  { delta = false, nested = false }: AgentOptions = {},
): Agent {
  const model = new WorldModel(world);
  const saver = new MemorySaver();
  const agent = createAgent({
    model,
    tools: [...(world.tools ?? [])],
    middleware: [middleware(model)],
    ...(nested ? {} : { checkpointer: saver }),
    ...(delta ? { stateSchema: deltaState } : {}),
  });
  const graph = nested ? inLargerGraph(agent.graph, saver) : agent.graph;
  return runGraph({ graph, model, saver, files: async () => new Map() });
}
