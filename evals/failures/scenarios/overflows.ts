import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import type { Play, Scenario } from "../scenario.js";
import { longWork, longWorld, pagesTool, rows } from "../world/made-work.js";
import { call, parallel, script } from "../world/script.js";
import type { World } from "../world/world.js";
import { asking, asksStill, inDeepAgents, inSummarization, promptsOf, summariesOf } from "./parts.js";

/** Returns how many prompts of the agent the provider refused as too long; one that is met is one too many. */
const refusals: Play = async (agent) => {
  const refused = promptsOf(agent).filter(({ outcome }) => outcome === "refused").length;
  return { text: `prompts refused as too long: ${refused}`, sound: refused === 0 };
};

const pictureOf = (page: number) => `iVBORw0KGgo-${page}-${"x".repeat(300)}`;

function twelveResults(): World {
  const sites = Array.from({ length: 12 }, (_, page) => rows(`site${page}`, 1_250));
  return { ...pagesTool("site", sites), reply: script(parallel("site", 12)) };
}

const question = "Now answer the question about Antarctica.";

/** What happens where a prompt weighs more than it seems, or where nobody has said how much the model takes. */
export const overflows: readonly Scenario[] = [
  {
    // The provider refuses the prompt, and once more after the first summary.
    title: "The current question after a second overflow",
    ...inDeepAgents,
    world() {
      const { steps, ...work } = longWork({ steps: 5, size: 340 });
      const turns = steps.toSpliced(1, 0, new AIMessage("ready"));
      return { ...work, reply: script(...turns), limit: 16_000 };
    },
    async play(agent) {
      await agent.run([new HumanMessage("Read the first page.")]);
      await agent.run([new HumanMessage(question)]);
      return asksStill(agent, question);
    },
  },
  {
    // Dense text: the provider counts 2.35 times what four characters a token come to.
    title: "Sixty steps of text that weighs 2.35 times the usual estimate",
    ...inDeepAgents,
    world: () => longWorld({ steps: 60 }, { window: 40_000, limit: 40_000, scale: 2.35 }),
    play: asking("Read the book.", refusals),
  },
  {
    // Most of the context is reasoning, of which the estimate sees nothing.
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
    play: asking("Think, then read the book.", refusals),
  },
  {
    // Every screenshot weighs 1,600 tokens for the provider.
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
    play: asking("Look at every page.", refusals),
  },
  {
    // A model that nobody has a profile of: what window is assumed?
    title: "6,000 tokens on a model without a profile",
    ...inSummarization,
    world: () => longWorld({ steps: 10, size: 40 }, {}),
    play: asking("Read the book.", async (agent) => {
      const summaries = summariesOf(agent).length;
      return { text: `summaries that nobody needed: ${summaries}`, sound: summaries === 0 };
    }),
  },
  {
    // Each result is below the threshold of offloading, all together are above the window.
    title: "Twelve parallel results of 75,000 characters, window not stated",
    ...inDeepAgents,
    world: twelveResults,
    play: asking("Compare the sites."),
  },
  {
    title: "Twelve parallel results of 75,000 characters, window of 100,000 tokens",
    ...inDeepAgents,
    world: () => ({ ...twelveResults(), window: 100_000, limit: 100_000 }),
    play: asking("Compare the sites."),
  },
];
