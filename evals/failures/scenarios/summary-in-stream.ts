import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Agent } from "../agents/agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";

const watched = new WeakMap<Agent, string>();

/** A user watches the answer being written. */
export const summaryInStream: Scenario = {
  title: "The message stream of a run with a summary",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const { steps, ...work } = longWork({ steps: 15, size: 150 });
    return { ...work, reply: script(...steps), window: 30_000 };
  },
  async play(agent) {
    watched.set(agent, await agent.watch([new HumanMessage("Read the book.")]));
  },
  async measure(agent) {
    const leaked = (watched.get(agent) ?? "").split("Summary number").length - 1;
    return { text: `summaries in the user's stream: ${leaked}`, sound: leaked === 0 };
  },
};
