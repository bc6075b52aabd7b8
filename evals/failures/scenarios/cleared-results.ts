import { HumanMessage } from "@langchain/core/messages";
import { ClearToolUsesEdit, contextEditingMiddleware } from "langchain";
import { langchainAgent } from "../agents/langchain-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";

/** Old results are cleared from what is sent: and from where else? */
export const clearedResults: Scenario = {
  title: "Old tool results cleared at 25,000 tokens",
  peer: "langchain contextEditingMiddleware",
  buildPeer: (world) =>
    langchainAgent(world, () =>
      contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { tokens: 25_000 } })] }),
    ),
  world() {
    const { steps, ...work } = longWork({ steps: 40 });
    return { ...work, reply: script(...steps), window: 30_000 };
  },
  play: (agent) => agent.run([new HumanMessage("Read the book.")]),
};
