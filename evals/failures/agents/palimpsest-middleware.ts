import { MemorySaver } from "@langchain/langgraph";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { createAgent } from "langchain";
import { WorldModel } from "../world/world-model.js";
import type { World } from "../world/world.js";
import type { Agent, AgentOptions } from "./agent.js";
import { palimpsestFiles, readPalimpsestFiles } from "./palimpsest-files.js";
import { palimpsestOptions } from "./palimpsest-options.js";
import { runGraph } from "./run-graph.js";

/** Returns a `createAgent` agent with the context middleware. */
export function palimpsestMiddleware(world: World, agentOptions: AgentOptions = {}): Agent {
  const model = new WorldModel(world);
  const files = palimpsestFiles(world.storage);
  const options = palimpsestOptions(model, files, agentOptions);
  const saver = new MemorySaver();
  const agent = createAgent({
    model,
    tools: [...(world.tools ?? [])],
    middleware: [contextMiddleware(options)],
    checkpointer: saver,
  });
  const read = (thread: string, values: Record<string, unknown>) =>
    readPalimpsestFiles(files, thread, values);
  return runGraph({ graph: agent.graph, model, saver, files: read });
}
