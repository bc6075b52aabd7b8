import type { DynamicStructuredTool } from "@langchain/core/tools";
import { Overwrite, StateSchema } from "@langchain/langgraph";
import { createMiddleware } from "langchain";
import { contextState } from "../edge/context-state.js";
import type { NodeUpdate } from "../edge/node-state.js";
import { fileTools } from "../tools/file-tools.js";
import { glimpseTool } from "./glimpse-tool.js";
import { predictContext } from "./predict-context.js";
import { resolvePredictive, type PredictiveContextOptions } from "./predictive-options.js";
import { ThreadMemories } from "./memory/thread-memories.js";

export interface PredictiveContextMiddlewareOptions extends Omit<
  PredictiveContextOptions,
  "inputKey" | "outputKey"
> {
  /** Tools that read what is not in the context. @default `fileTools({ files })` and `glimpseTool({ files })` */
  readonly tools?: readonly DynamicStructuredTool[];
}

/**
 * Returns the middleware that selects the context before each model call of a `createAgent` agent, on the same core as
 * `predictiveContextNode`.
 *
 * @throws ContextError when an option cannot work.
 */
export function predictiveContextMiddleware({ tools, ...options }: PredictiveContextMiddlewareOptions) {
  const resolved = resolvePredictive(options);
  const memories = new ThreadMemories();
  return createMiddleware({
    name: "PredictiveContextMiddleware",
    stateSchema: new StateSchema(contextState),
    tools: [...(tools ?? [...fileTools(options), glimpseTool(options)])],
    async beforeModel({ messages }, runtime) {
      const selected = await predictContext({ messages, config: runtime }, resolved, memories);
      const update: NodeUpdate = selected === messages ? {} : { messages: new Overwrite([...selected]) };
      return selected === messages ? undefined : { ...update };
    },
  });
}
