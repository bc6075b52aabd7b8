import { HumanMessage } from "@langchain/core/messages";
import { summarizationAgent } from "../agents/summarization-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";

/** A model that nobody has a profile of: what window is assumed? */
export const unknownWindow: Scenario = {
  title: "6,000 tokens on a model without a profile",
  peer: "langchain summarizationMiddleware",
  buildPeer: summarizationAgent,
  world() {
    const { steps, ...work } = longWork({ steps: 10, size: 40 });
    return { ...work, reply: script(...steps) };
  },
  play: (agent) => agent.run([new HumanMessage("Read the book.")]),
  async measure({ calls }) {
    const summaries = calls.filter(({ purpose }) => purpose === "summary").length;
    return { text: `summaries that nobody needed: ${summaries}`, sound: summaries === 0 };
  },
};
