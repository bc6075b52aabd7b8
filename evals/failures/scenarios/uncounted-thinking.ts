import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";
import { refusals } from "./refusals.js";

/** Most of the context is reasoning, of which the estimate sees nothing. */
export const uncountedThinking: Scenario = {
  title: "Thinking blocks of 8,000 characters in each of thirty steps",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const { steps, ...work } = longWork({ steps: 30, size: 5 });
    const thoughtful = steps.map(({ tool_calls }, step) => {
      const thinking = `Thought ${step}. `.repeat(620);
      return new AIMessage({
        content: [{ type: "thinking", thinking, signature: `sig${step}` }],
        tool_calls: tool_calls ?? [],
      });
    });
    return { ...work, reply: script(...thoughtful), window: 30_000, limit: 30_000 };
  },
  play: (agent) => agent.run([new HumanMessage("Think, then read the book.")]),
  measure: refusals,
};
