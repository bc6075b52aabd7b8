import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";
import { asksStill } from "./asks-still.js";

const question = "Now answer the question about Antarctica.";

/** The provider refuses the prompt, and once more after the first summary. */
export const secondOverflow: Scenario = {
  title: "The current question after a second overflow",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const { steps, ...work } = longWork({ steps: 5, size: 340 });
    const turns = [...steps.slice(0, 1), new AIMessage("ready"), ...steps.slice(1)];
    return { ...work, reply: script(...turns), limit: 16_000 };
  },
  async play(agent) {
    await agent.run([new HumanMessage("Read the first page.")]);
    await agent.run([new HumanMessage(question)]);
  },
  measure: asksStill(question),
};
