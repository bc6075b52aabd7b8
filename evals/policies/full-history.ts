import type { BaseMessage } from "@langchain/core/messages";
import type { Policy } from "./policy.js";

/** All of the thread, as a ReAct agent sends it. */
export const fullHistory: Policy = {
  name: "full history",
  start() {
    const thread: BaseMessage[] = [];
    return {
      context: async (added) => {
        thread.push(...added);
        return [...thread];
      },
    };
  },
};
