import { summarizationMiddleware } from "langchain";
import type { World } from "../world/world.js";
import type { Agent, AgentOptions } from "./agent.js";
import { langchainAgent } from "./langchain-agent.js";

/** Its declared type is `never` under this TypeScript. */
type Options = Parameters<typeof summarizationMiddleware>[0];

/** Returns a `createAgent` agent with langchain's own summarization at 0.85 of the window, or of what it takes for it. */
export function summarizationAgent(world: World, options?: AgentOptions): Agent {
  return langchainAgent(
    world,
    (model) =>
      summarizationMiddleware({ model, trigger: { fraction: 0.85 }, keep: { messages: 6 } } as Options),
    options,
  );
}
