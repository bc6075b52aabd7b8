import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { rows } from "../world/rows.js";
import { call, script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";

/** A result that no window and no checkpoint should ever hold. */
export const fiftyMegabytes: Scenario = {
  title: "A result of 50 MB",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const data = rows("huge", 500, 100_000);
    return {
      tools: [textTool("huge", () => data.join("\n"))],
      reply: script(call("huge", { page: 0 })),
      originals: data,
      shown: [data[0]?.slice(0, 40) ?? ""],
      window: 100_000,
      limit: 100_000,
    };
  },
  play: (agent) => agent.run([new HumanMessage("Read it.")]),
  async measure(agent) {
    const bytes = agent.storedBytes();
    return { text: `${(bytes / 1e6).toFixed(1)} MB of checkpoints`, sound: bytes < 1e6 };
  },
};
