import type { DynamicStructuredTool } from "@langchain/core/tools";
import { StateSchema } from "@langchain/langgraph";
import { createMiddleware } from "langchain";
import { contextState } from "../run/context-state.js";
import { sentTools, takingNulls } from "../strict-tools.js";
import { withModelStep } from "../run/model-step.js";
import { fileTools } from "../tools/file-tools.js";
import { glimpseTool } from "./glimpse-tool.js";
import { predictContext } from "./predict-context.js";
import { resolvePredictive, type PredictiveContextOptions } from "./predictive-options.js";
import { ThreadMemories } from "./memory/thread-memories.js";
import { requireOptions } from "../options/require-options.js";

export interface PredictiveContextMiddlewareOptions extends Omit<
  PredictiveContextOptions,
  "inputKey" | "outputKey"
> {
  /** Tools that read steps outside the context. @default `fileTools({ files })` and `glimpseTool({ files })` */
  readonly tools?: readonly DynamicStructuredTool[];
}

/**
 * Returns the middleware that selects the context before each model call of a `createAgent` agent, on the same core as
 * `predictiveContextNode`.
 *
 * @throws ContextError when an option cannot work.
 */
export function predictiveContextMiddleware(given: PredictiveContextMiddlewareOptions) {
  requireOptions(given, "predictiveContextMiddleware");
  const { tools: chosen, ...options } = given;
  const tools = (chosen ?? [...fileTools(options), glimpseTool(options)]).map(takingNulls);
  const resolved = resolvePredictive(options);
  const plan = predictContext(new ThreadMemories(resolved.cacheTokens));
  return createMiddleware({
    name: "PredictiveContextMiddleware",
    stateSchema: new StateSchema(contextState),
    tools,
    async wrapModelCall(request, handler) {
      return withModelStep(request, resolved, async (step) => {
        await step.run(plan);
        const forms = await sentTools(request.tools, request);
        return handler({ ...request, messages: step.listed(step.messages), tools: forms });
      });
    },
  });
}
