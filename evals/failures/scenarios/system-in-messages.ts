import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { summarizationAgent } from "../agents/summarization-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";
import { asksStill } from "./asks-still.js";

const rule = "Never push to main.";

export const systemInMessages: Scenario = {
  title: "A system message among the messages",
  peer: "langchain summarizationMiddleware",
  buildPeer: summarizationAgent,
  world() {
    const { steps, ...work } = longWork({ steps: 15, size: 150 });
    return { ...work, reply: script(...steps), window: 30_000 };
  },
  play: (agent) =>
    agent.run([new SystemMessage({ id: "s", content: rule }), new HumanMessage("Read the book.")]),
  measure: asksStill(rule),
};
