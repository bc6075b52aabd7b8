import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { isAi, isToolResult } from "@palimpsest/context/internal";
import type { Policy } from "./policy.js";
import { userGoals } from "../data/user-goals.js";

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

/** The first user message, and all from the newest `count` calling steps on. */
export function lastSteps(count: number): Policy {
  return {
    name: `last ${count} steps`,
    start() {
      const thread: BaseMessage[] = [];
      return {
        context: async (added) => {
          thread.push(...added);
          const steps = thread.flatMap((message, index) => (isCalling(message) ? [index] : []));
          const first = steps.at(-count) ?? 0;
          const goals = userGoals(thread);
          return thread.filter((message, index) => index >= first || goals.includes(message));
        },
      };
    },
  };
}

/** True for a message that calls tools. */
function isCalling(message: BaseMessage): boolean {
  return isAi(message) && toolCalls(message).length > 0;
}
