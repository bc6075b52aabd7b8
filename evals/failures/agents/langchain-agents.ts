import { MemorySaver, MessagesDeltaValue, StateSchema } from "@langchain/langgraph";
import { createSummarizationMiddleware } from "deepagents";
import {
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createAgent,
  summarizationMiddleware,
  type AgentMiddleware,
} from "langchain";
import { WorldModel } from "../world/world-model.js";
import type { World } from "../world/world.js";
import { type Agent, agentOf, type AgentOptions, inLargerGraph, type RunnableGraph } from "./agent.js";
import { openDirectory } from "./deep-agent.js";

interface AgentParts {
  readonly world: World;
  readonly model: WorldModel;
  readonly saver: MemorySaver;
  readonly middleware: AgentMiddleware;
}

/** Returns the graph of a `createAgent` agent with one middleware. */
export function agentGraph(
  { world, model, saver, middleware }: AgentParts,
  { delta = false, nested = false }: AgentOptions = {},
): RunnableGraph {
  return createAgent({
    model,
    tools: [...(world.tools ?? [])],
    middleware: [middleware],
    ...(nested ? {} : { checkpointer: saver }),
    ...(delta ? { stateSchema: new StateSchema({ messages: MessagesDeltaValue }) } : {}),
  }).graph;
}

function agentWith(
  world: World,
  middleware: (model: WorldModel) => AgentMiddleware,
  options: AgentOptions = {},
): Agent {
  const model = new WorldModel(world);
  const saver = new MemorySaver();
  const graph = agentGraph({ world, model, saver, middleware: middleware(model) }, options);
  const whole = options.nested === true ? inLargerGraph(graph, saver) : graph;
  return agentOf({ graph: whole, model, saver, files: async () => new Map() });
}

/** Returns an agent with langchain's own summarization at 0.85 of the window, or of what it takes for it. */
export function summarizationAgent(world: World, options?: AgentOptions): Agent {
  const sizes = { trigger: { fraction: 0.85 }, keep: { messages: 6 } };
  // The declared type of the options is `never` under this TypeScript.
  return agentWith(world, (model) => summarizationMiddleware({ model, ...sizes } as never), options);
}

/** Returns an agent with langchain's context editing, which clears old results at 25,000 tokens. */
export function clearingAgent(world: World, options?: AgentOptions): Agent {
  const edits = [new ClearToolUsesEdit({ trigger: { tokens: 25_000 } })];
  return agentWith(world, () => contextEditingMiddleware({ edits }), options);
}

/** Returns an agent with deepagents' summarization alone, over a directory: at `trigger` messages it keeps `keep`. */
export function summarizingAgent(world: World, trigger: number, keep: number): Agent {
  const { backend, files, remove } = openDirectory();
  const agent = agentWith(world, (model) =>
    createSummarizationMiddleware({
      model,
      backend,
      trigger: { type: "messages", value: trigger },
      keep: { type: "messages", value: keep },
    }),
  );
  return { ...agent, files: async () => files(), close: remove };
}
