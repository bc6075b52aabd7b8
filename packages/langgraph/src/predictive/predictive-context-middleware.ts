import type { DynamicStructuredTool } from "@langchain/core/tools";
import { Overwrite, StateSchema } from "@langchain/langgraph";
import { isAi } from "@palimpsest/context/internal";
import { createMiddleware } from "langchain";
import { answerWith, partsOf } from "../run/reply.js";
import { contextState } from "../run/context-state.js";
import { compactionStateOf, type NodeUpdate } from "../run/node-state.js";
import { modelCall } from "../epochs/model-call.js";
import { rewrittenOutcome } from "../epochs/sent-prefix.js";
import { fileTools } from "../tools/file-tools.js";
import { glimpseTool } from "./glimpse-tool.js";
import { predictContext } from "./predict-context.js";
import { resolvePredictive, type PredictiveContextOptions } from "./predictive-options.js";
import { ThreadMemories } from "./memory/thread-memories.js";
import { parseOptions } from "../options/parse-options.js";
import { surface } from "../options/surfaces.js";

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
  parseOptions(given, surface("predictiveContextMiddleware", "predictiveMiddleware"));
  const { tools, ...options } = given;
  const resolved = resolvePredictive(options);
  const memories = new ThreadMemories(resolved.cacheTokens);
  return createMiddleware({
    name: "PredictiveContextMiddleware",
    stateSchema: new StateSchema(contextState),
    tools: [...(tools ?? [...fileTools(options), glimpseTool(options)])],
    async beforeModel(values, runtime) {
      const { messages } = values;
      const selected = await predictContext({ messages, config: runtime }, resolved, memories);
      if (selected === messages) return undefined;
      const input = { messages, state: compactionStateOf(values) };
      const { state: compaction } = rewrittenOutcome(input, { messages: selected });
      const update: NodeUpdate = { messages: new Overwrite([...selected]) };
      return { ...update, ...(compaction === undefined ? {} : { compaction }) };
    },
    async wrapModelCall(request, handler) {
      const state = compactionStateOf(request.state);
      const call = await modelCall(request, state, resolved);
      const reply = await handler({ ...request, messages: call.messages });
      const prefix = call.prefix(call.messages, partsOf(reply).said.find(isAi));
      if (prefix === state?.prefix) return reply;
      const { messages } = call.update;
      return answerWith(reply, { messages, compaction: { prefix } }, request.runtime);
    },
  });
}
