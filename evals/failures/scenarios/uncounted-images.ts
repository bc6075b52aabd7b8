import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { summarizationAgent } from "../agents/summarization-agent.js";
import type { Scenario } from "../scenario.js";
import { call, script } from "../world/script.js";
import { refusals } from "./refusals.js";

const pictureOf = (page: number) => `iVBORw0KGgo-${page}-${"x".repeat(300)}`;

/** Every screenshot weighs 1,600 tokens for the provider. */
export const uncountedImages: Scenario = {
  title: "Forty screenshots",
  peer: "langchain summarizationMiddleware",
  buildPeer: summarizationAgent,
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
  play: (agent) => agent.run([new HumanMessage("Look at every page.")]),
  measure: refusals,
};
