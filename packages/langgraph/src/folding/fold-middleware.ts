import { StateSchema } from "@langchain/langgraph";
import { createMiddleware } from "langchain";
import { contextState } from "../edge/context-state.js";
import { compactionStateOf, messagesUpdate } from "../edge/node-state.js";
import { unfoldTool } from "../tools/unfold-tool.js";
import { foldContextTool } from "./fold-context-tool.js";
import { foldMessages } from "./fold-messages.js";
import { resolveFoldOptions, type FoldOptions } from "./fold-options.js";
import { foldPrompt } from "./fold-view.js";

export type FoldMiddlewareOptions = Omit<FoldOptions, "inputKey" | "outputKey" | "tools">;

/**
 * Returns the middleware that lets a `createAgent` agent fold its own context, on the same core as `foldNode`.
 *
 * It brings the tools `fold_context` and `unfold`, and tells the model how to use them. Put `contextMiddleware` with the
 * same options behind it: that one offloads large results and recovers from overflows.
 * @throws ContextError when an option cannot work.
 */
export function foldMiddleware(options: FoldMiddlewareOptions) {
  const resolved = resolveFoldOptions(options);
  return createMiddleware({
    name: "FoldMiddleware",
    stateSchema: new StateSchema(contextState),
    tools: [foldContextTool(options), unfoldTool(options)],

    async beforeModel(state, runtime) {
      const { messages } = state;
      const input = { messages, state: compactionStateOf(state), config: runtime };
      const outcome = await foldMessages(input, resolved);
      if (outcome.messages === messages && outcome.state === undefined) return undefined;
      return {
        ...(outcome.messages === messages ? {} : messagesUpdate(outcome.messages, resolved)),
        ...(outcome.state === undefined ? {} : { compaction: outcome.state }),
      };
    },

    wrapModelCall(request, handler) {
      return handler({ ...request, systemMessage: request.systemMessage.concat(foldPrompt("tool")) });
    },
  });
}
