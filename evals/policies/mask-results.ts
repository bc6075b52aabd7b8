import type { BaseMessage } from "@langchain/core/messages";
import { isToolResult } from "@palimpsest/context/internal";
import { isCalling } from "./is-calling.js";
import type { Policy } from "./policy.js";

/** All of the thread without the tool results that are older than the newest `keepSteps` calling steps. */
export function maskResults(keepSteps: number): Policy {
  return {
    name: keepSteps === 0 ? "drop tool results" : `mask M = ${keepSteps}`,
    start() {
      const thread: BaseMessage[] = [];
      return {
        context: async (added) => {
          thread.push(...added);
          const steps = thread.flatMap((message, index) => (isCalling(message) ? [index] : []));
          const firstKept = keepSteps === 0 ? thread.length : (steps.at(-keepSteps) ?? 0);
          return thread.filter((message, index) => index >= firstKept || !isToolResult(message));
        },
      };
    },
  };
}
