import { HumanMessage } from "@langchain/core/messages";
import type { Scenario } from "../scenario.js";
import { summarizingAgent } from "../agents/summarizing-agent.js";
import { longWork } from "../world/long-work.js";
import { parallel, script } from "../world/script.js";

/** The cut would fall into ten parallel results: what becomes of the group? */
export const parallelAcrossCut: Scenario = {
  title: "Ten parallel results that reach across the cut",
  peer: "deepagents createSummarizationMiddleware",
  buildPeer: (world) => summarizingAgent(world, { trigger: 12, keep: 6 }),
  world() {
    const { steps, ...work } = longWork({ steps: 10, size: 60 });
    return {
      ...work,
      reply: script(
        parallel(
          "book",
          steps.map((_, page) => ({ page })),
        ),
      ),
      window: 8_000,
    };
  },
  play: (agent) => agent.run([new HumanMessage("Read the book.")]),
};
