import { HumanMessage } from "@langchain/core/messages";
import { summarizationAgent } from "../agents/summarization-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";

/** How much of what a summary replaces was its writer given to read? */
export const summaryCoverage: Scenario = {
  title: "What the summarizer of 85,000 tokens is given to read",
  peer: "langchain summarizationMiddleware",
  buildPeer: summarizationAgent,
  world() {
    const { steps, ...work } = longWork({ steps: 14, size: 500 });
    return { ...work, reply: script(...steps), window: 100_000 };
  },
  play: (agent) => agent.run([new HumanMessage("Read the book.")]),
  async measure({ calls }, { shown = [] }) {
    const last = calls.findLast(({ purpose }) => purpose === "agent")?.text ?? "";
    const read = calls
      .filter(({ purpose }) => purpose === "summary")
      .map(({ text }) => text)
      .join("\n");
    const gone = shown.filter((head) => !last.includes(head));
    const known = gone.filter((head) => read.includes(head)).length;
    const text = `${known} of ${gone.length} pages that left the context were read by the summarizer`;
    return { text, sound: known === gone.length };
  },
};
