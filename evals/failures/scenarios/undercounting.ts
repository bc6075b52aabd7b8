import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";
import { refusals } from "./refusals.js";

/** Dense text: the provider counts 2.35 times what four characters a token come to. */
export const undercounting: Scenario = {
  title: "Sixty steps of text that weighs 2.35 times the usual estimate",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const { steps, ...work } = longWork({ steps: 60 });
    return { ...work, reply: script(...steps), window: 40_000, limit: 40_000, scale: 2.35 };
  },
  play: (agent) => agent.run([new HumanMessage("Read the book.")]),
  measure: refusals,
};
