import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { rows } from "../world/rows.js";
import { parallel, script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";
import type { World } from "../world/world.js";

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
  peer: "deepagents",
  buildPeer: deepAgent,
  world: twelveResults,
  play: (agent) => agent.run([new HumanMessage("Compare the sites.")]),
};

export const parallelResultsKnown: Scenario = {
  ...parallelResults,
  title: "Twelve parallel results of 75,000 characters, window of 100,000 tokens",
  world: () => ({ ...twelveResults(), window: 100_000, limit: 100_000 }),
};
