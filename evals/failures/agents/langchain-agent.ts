import { MemorySaver } from "@langchain/langgraph";
import { createAgent, type AgentMiddleware } from "langchain";
import { WorldModel } from "../world/world-model.js";
import type { World } from "../world/world.js";
import type { Agent } from "./agent.js";
import { runGraph } from "./run-graph.js";

/** Returns a `createAgent` agent with one middleware, made for the model of its world. */
export function langchainAgent(world: World, middleware: (model: WorldModel) => AgentMiddleware): Agent {
  const model = new WorldModel(world);
  const saver = new MemorySaver();
  const agent = createAgent({
    model,
    tools: [...(world.tools ?? [])],
    middleware: [middleware(model)],
    checkpointer: saver,
  });
  return runGraph({ graph: agent.graph, model, saver, files: async () => new Map() });
}
