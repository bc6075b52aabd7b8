import { HumanMessage } from "@langchain/core/messages";
import { ClearToolUsesEdit, contextEditingMiddleware } from "langchain";
import { langchainAgent } from "../agents/langchain-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";

/** With a delta channel a checkpoint holds what was written; what was changed in place is in the running graph alone. */
export const liveAndReloaded: Scenario = {
  title: "What a run returns, and what its checkpoint gives back, with MessagesDeltaValue",
  peer: "langchain contextEditingMiddleware",
  options: { delta: true },
  buildPeer: (world, options) =>
    langchainAgent(
      world,
      () => contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { tokens: 25_000 } })] }),
      options,
    ),
  world() {
    const { steps, ...work } = longWork({ steps: 40 });
    return { ...work, reply: script(...steps), window: 30_000 };
  },
  play: (agent) => agent.run([new HumanMessage("Read the book.")]),
  async measure(agent) {
    const reloaded = await agent.messages();
    const live = agent.returned();
    const other = reloaded.filter((message, index) => message.text !== live[index]?.text).length;
    const more = Math.abs(reloaded.length - live.length);
    return {
      text: `${other + more} of ${live.length} messages are others when reloaded`,
      sound: live.length > 0 && other + more === 0,
    };
  },
};
