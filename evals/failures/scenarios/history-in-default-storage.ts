import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";

/** Nothing configured: where does the summarized history go? */
export const historyInDefaultStorage: Scenario = {
  title: "Summarized history with the default storage",
  peer: "deepagents",
  buildPeer: deepAgent,
  options: { defaultStorage: true },
  world() {
    const { steps, ...work } = longWork({ steps: 15, size: 150 });
    return { ...work, reply: script(...steps), window: 30_000 };
  },
  play: (agent) => agent.run([new HumanMessage("Read the book.")]),
};
