import type { BaseMessage } from "@langchain/core/messages";
import { isCalling } from "./is-calling.js";
import type { Policy } from "./policy.js";

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
          const users = thread.filter((message) => message.getType() === "human");
          const goals = new Set([users.at(0), users.at(-1)]);
          return thread.filter((message, index) => index >= first || goals.has(message));
        },
      };
    },
  };
}
