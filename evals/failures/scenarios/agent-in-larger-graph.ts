import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { summarizationAgent } from "../agents/summarization-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { providerTokens } from "../world/provider-tokens.js";
import { script } from "../world/script.js";

const turns = 5;
const window = 30_000;

/** What an agent folds inside, the graph that runs it as a node has still: until who owns the messages folds them. */
export const agentInLargerGraph: Scenario = {
  title: "Five turns of an agent that is a node of a larger graph",
  peer: "langchain summarizationMiddleware",
  options: { nested: true },
  buildPeer: summarizationAgent,
  world() {
    const { steps, ...work } = longWork({ steps: 8 * turns, size: 100 });
    const said = steps.flatMap((step, at) => (at % 8 === 7 ? [step, new AIMessage(`turn ${at}`)] : [step]));
    return { ...work, reply: script(...said), window };
  },
  async play(agent) {
    for (let turn = 0; turn < turns; turn++) await agent.run([new HumanMessage(`Read on, ${turn}.`)]);
  },
  async measure(agent) {
    const tokens = Math.ceil(providerTokens(await agent.messages()));
    const text = `${tokens.toLocaleString("en")} tokens in the larger graph, whose agent takes ${window.toLocaleString("en")}`;
    return { text, sound: tokens < window };
  },
};
