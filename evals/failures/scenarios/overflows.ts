import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import type { Agent } from "../agents/agent.js";
import type { Finding, Scenario } from "../scenario.js";
import { longWork, longWorld } from "../world/long-work.js";
import { rows } from "../world/rows.js";
import { call, parallel, script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";
import type { World } from "../world/world.js";
import { asksStill } from "./asks-still.js";
import { inDeepAgents, inSummarization } from "./peers.js";
import { asking } from "./asking.js";

/** Returns how many prompts of the agent the provider refused as too long; one that is met is one too many. */
async function refusals({ calls }: Agent): Promise<Finding> {
  const refused = calls.filter(({ outcome, purpose }) => outcome === "refused" && purpose === "agent").length;
  return { text: `prompts refused as too long: ${refused}`, sound: refused === 0 };
}

/** Dense text: the provider counts 2.35 times what four characters a token come to. */
export const undercounting: Scenario = {
  title: "Sixty steps of text that weighs 2.35 times the usual estimate",
  ...inDeepAgents,
  world: () => longWorld({ steps: 60 }, { window: 40_000, limit: 40_000, scale: 2.35 }),
  play: asking("Read the book."),
  measure: refusals,
};

/** Most of the context is reasoning, of which the estimate sees nothing. */
export const uncountedThinking: Scenario = {
  title: "Thinking blocks of 8,000 characters in each of thirty steps",
  ...inDeepAgents,
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
  play: asking("Think, then read the book."),
  measure: refusals,
};

const pictureOf = (page: number) => `iVBORw0KGgo-${page}-${"x".repeat(300)}`;

/** Every screenshot weighs 1,600 tokens for the provider. */
export const uncountedImages: Scenario = {
  title: "Forty screenshots",
  ...inSummarization,
  world() {
    const pages = Array.from({ length: 40 }, (_, page) => page);
    const look = tool(
      ({ page }, { toolCall }) =>
        new ToolMessage({
          tool_call_id: toolCall?.id ?? "",
          name: "look",
          content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${pictureOf(page)}` } }],
        }),
      { name: "look", description: "Takes a screenshot.", schema: z.object({ page: z.number() }) },
    );
    return {
      tools: [look as never],
      reply: script(...pages.map((page) => call("look", { page }))),
      originals: pages.map(pictureOf),
      shown: pages.map(pictureOf),
      window: 30_000,
      limit: 30_000,
    };
  },
  play: asking("Look at every page."),
  measure: refusals,
};

/** A model that nobody has a profile of: what window is assumed? */
export const unknownWindow: Scenario = {
  title: "6,000 tokens on a model without a profile",
  ...inSummarization,
  world: () => longWorld({ steps: 10, size: 40 }, {}),
  play: asking("Read the book."),
  async measure({ calls }) {
    const summaries = calls.filter(({ purpose }) => purpose === "summary").length;
    return { text: `summaries that nobody needed: ${summaries}`, sound: summaries === 0 };
  },
};

function twelveResults(): World {
  const pages = Array.from({ length: 12 }, (_, page) => rows(`site${page}`, 1_250));
  const calls = pages.map((_, page) => ({ page }));
  return {
    tools: [textTool("site", (page) => (pages[page] ?? []).join("\n"))],
    reply: script(parallel("site", calls)),
    originals: pages.flat(),
    shown: pages.map(([head = ""]) => head),
  };
}

/** Each result is below the threshold of offloading, all together are above the window. */
export const parallelResults: Scenario = {
  title: "Twelve parallel results of 75,000 characters, window not stated",
  ...inDeepAgents,
  world: twelveResults,
  play: asking("Compare the sites."),
};

export const parallelResultsKnown: Scenario = {
  ...parallelResults,
  title: "Twelve parallel results of 75,000 characters, window of 100,000 tokens",
  world: () => ({ ...twelveResults(), window: 100_000, limit: 100_000 }),
};

const question = "Now answer the question about Antarctica.";

/** The provider refuses the prompt, and once more after the first summary. */
export const secondOverflow: Scenario = {
  title: "The current question after a second overflow",
  ...inDeepAgents,
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
