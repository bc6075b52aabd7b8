import { HumanMessage } from "@langchain/core/messages";
import { summarizationAgent } from "../agents/summarization-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";

const formula = "cost $& each, paid $' twice, total $$ 40.";

export const patternsInSummary: Scenario = {
  title: "`$&` and the like in what is summarized",
  peer: "langchain summarizationMiddleware",
  buildPeer: summarizationAgent,
  world() {
    const { steps, originals, shown } = longWork({ steps: 12, size: 20 });
    return {
      tools: [
        textTool("book", (page) => [formula, ...originals.slice(page * 20, page * 20 + 20)].join("\n")),
      ],
      originals: [...originals, formula],
      shown,
      reply: script(...steps),
      window: 3_800,
    };
  },
  play: (agent) => agent.run([new HumanMessage("Read the book.")]),
  async measure({ calls }) {
    const asked = calls.filter(({ purpose }) => purpose === "summary");
    const whole = asked.filter(({ text }) => text.includes(formula)).length;
    const text = `${whole} of ${asked.length} questions to the summarizer hold the text as it was`;
    return { text, sound: asked.length > 0 && whole === asked.length };
  },
};
