import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { ClearToolUsesEdit, contextEditingMiddleware } from "langchain";
import type { Start, TableSystem } from "../table-system.js";

/** `contextEditingMiddleware`. Its own trigger is 100,000 tokens in any window: 0.85 of the window, where the setting names none. */
export const langchainContextEditing: TableSystem = {
  name: "langchain context editing",
  package: "langchain",
  reads: "prompt",
  settings: {
    "keep 3 results": clearing(3, 0.85),
    "keep 10 results": clearing(10, 0.85),
    "keep 3 results, trigger 0.5": clearing(3, 0.5),
    "keep 10 results, trigger 0.5": clearing(10, 0.5),
  },
};

type ModelCall = (
  request: { readonly messages: BaseMessage[]; readonly model: unknown },
  handler: () => AIMessage,
) => Promise<unknown>;

function clearing(kept: number, fraction: number): Start {
  return ({ model }) => {
    const edit = new ClearToolUsesEdit({ trigger: { fraction }, keep: { messages: kept } });
    const { wrapModelCall } = contextEditingMiddleware({ edits: [edit] });
    const call = wrapModelCall as unknown as ModelCall;
    return async (messages) => {
      // It edits the list in place, which is that of the agent's state.
      await call({ messages, model }, () => new AIMessage("done"));
      return messages;
    };
  };
}
