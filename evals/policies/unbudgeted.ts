import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { isAi, isToolResult } from "@palimpsest/context/internal";
import type { Policy } from "./policy.js";
import { userGoals } from "../data/user-goals.js";

/** All of the thread, as a ReAct agent sends it. */
export const fullHistory = showing("full history", () => () => true);

/** All of the thread without the tool results that are older than the newest `keepSteps` calling steps. */
export function maskResults(keepSteps: number): Policy {
  return showing(keepSteps === 0 ? "drop tool results" : `mask M = ${keepSteps}`, (thread) => {
    const first = keepSteps === 0 ? thread.length : firstOfLast(keepSteps, thread);
    return (message, index) => index >= first || !isToolResult(message);
  });
}

/** The first user message, and all from the newest `count` calling steps on. */
export function lastSteps(count: number): Policy {
  return showing(`last ${count} steps`, (thread) => {
    const first = firstOfLast(count, thread);
    const goals = userGoals(thread);
    return (message, index) => index >= first || goals.includes(message);
  });
}

/** Tells of each message of a thread whether it is shown. */
type Choose = (thread: readonly BaseMessage[]) => (message: BaseMessage, index: number) => boolean;

/** Returns a policy that shows some messages of the thread as they are. */
function showing(name: string, choose: Choose): Policy {
  return {
    name,
    start() {
      const thread: BaseMessage[] = [];
      return {
        context: async (added) => {
          thread.push(...added);
          return thread.filter(choose(thread));
        },
      };
    },
  };
}

/** Returns the index of the first of the newest `count` messages that call tools. */
function firstOfLast(count: number, thread: readonly BaseMessage[]): number {
  const steps = thread.flatMap((message, index) =>
    isAi(message) && toolCalls(message).length > 0 ? [index] : [],
  );
  return steps.at(-count) ?? 0;
}
