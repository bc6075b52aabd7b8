import { AIMessage, type HumanMessage } from "@langchain/core/messages";
import type { Agent } from "../agents/agent.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";
import type { World } from "../world/world.js";

/** Returns a world in which no summary ever comes, and three turns of which the first fills the window. */
export function downSummarizer(): World {
  const { steps, ...work } = longWork({ steps: 16, size: 150 });
  const turns = [...steps.slice(0, 12), new AIMessage("one"), ...steps.slice(12, 14), new AIMessage("two")];
  return {
    ...work,
    window: 30_000,
    reply: script(...turns, ...steps.slice(14)),
    summarize() {
      throw new Error("401 the summarizer's key has expired");
    },
  };
}

/** Plays three turns in one thread, whatever becomes of each. */
export async function threeTurns(agent: Agent, ask: (turn: number) => HumanMessage): Promise<void> {
  for (const turn of [1, 2, 3]) await agent.run([ask(turn)]);
}
