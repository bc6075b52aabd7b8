import { BaseMessage, type AIMessage } from "@langchain/core/messages";
import { StateSchema } from "@langchain/langgraph";
import { toolCalls } from "@palimpsest/context";
import { stripMessage } from "@palimpsest/context/folding";
import { isAi } from "@palimpsest/context/internal";
import { createMiddleware } from "langchain";
import { agentOptions } from "../options/agent-options.js";
import { withModelStep } from "../run/model-step.js";
import { contextState } from "../run/context-state.js";
import { compactionStateOf } from "../run/node-state.js";
import { sentTools, takingNulls } from "../strict-tools.js";
import { unfoldTool } from "../tools/unfold-tool.js";
import { foldContextToolFor } from "./fold-context-tool.js";
import { foldAndCompact } from "./fold-node.js";
import { resolveFoldOptions, type FoldOptions } from "./fold-options.js";
import { foldPrompt } from "./fold-view.js";
import { requireOptions } from "../options/require-options.js";

/** Excludes native structured output, whose text the host parses. */
function isFinalAnswer(reply: unknown): reply is AIMessage {
  return BaseMessage.isInstance(reply) && isAi(reply) && toolCalls(reply).length === 0;
}

export type FoldMiddlewareOptions = Omit<FoldOptions, "inputKey" | "outputKey" | "tools">;

/**
 * Returns the middleware that lets a `createAgent` agent fold its own context, on the same core as `foldNode`.
 *
 * It adds the tools `fold_context` and `unfold`, and tells the model how to use them. Put `contextMiddleware` with the same
 * options after it: it offloads large results before they enter the state, recovers from overflows and adds the file tools.
 * Directives in the text of a final answer take effect and are removed from it; streamed tokens still contain them. As in
 * `contextMiddleware`, the context window is that of the agent's own model.
 * @throws ContextError when an option cannot work.
 */
export function foldMiddleware(options: FoldMiddlewareOptions) {
  requireOptions(options, "foldMiddleware");
  const resolved = agentOptions(options, resolveFoldOptions);
  const foldTool = foldContextToolFor((state) => resolved.forTools(compactionStateOf(state)));
  const tools = [foldTool, unfoldTool(options)].map(takingNulls);
  return createMiddleware({
    name: "FoldMiddleware",
    stateSchema: new StateSchema(contextState),
    tools,

    async wrapModelCall(request, handler) {
      const state = compactionStateOf(request.state);
      const sized = resolved.of(request.model, state, request.runtime);
      return withModelStep(request, sized, async (step) => {
        const { contextWindow } = sized;
        if (state?.contextWindow !== contextWindow) step.note({ contextWindow });
        const systemMessage = request.systemMessage.concat(foldPrompt("tool"));
        step.frame = { systemMessage, tools: request.tools };
        await step.run(foldAndCompact);
        const forms = await sentTools(request.tools, request);
        const call = { ...request, messages: step.listed(step.messages), systemMessage, tools: forms };
        const reply = await handler(call);
        return isFinalAnswer(reply) ? stripMessage(reply) : reply;
      });
    },
  });
}
