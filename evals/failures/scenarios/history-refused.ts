import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";

/** The context is to be cut, and what is cut cannot be stored. */
export const historyRefused: Scenario = {
  title: "A compaction while every write is refused",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const { steps, ...work } = longWork({ steps: 12, size: 150 });
    return { ...work, reply: script(...steps), window: 30_000, storage: "refuses" };
  },
  play: (agent) => agent.run([new HumanMessage("Read the book.")]),
};
