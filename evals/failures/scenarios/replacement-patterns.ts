import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { rows } from "../world/rows.js";
import { call, script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";

const heads = ["cost: $& each", "paid $' twice", "left $` over", "total $$ 40"];

/** Text that `String.replace` takes for instructions. */
export const replacementPatterns: Scenario = {
  title: "`$&` and the like at the head of a large result",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const data = rows("price", 2_000);
    return {
      tools: [textTool("prices", () => [...heads, ...data].join("\n"))],
      reply: script(call("prices", { page: 0 })),
      originals: [...heads, ...data],
      shown: heads,
    };
  },
  play: (agent) => agent.run([new HumanMessage("Read the prices.")]),
};
