import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { rows } from "../world/rows.js";
import { call, script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";

const size = 800_000;

/** A large result is offloaded into the state, and the state is copied at every step. */
export const largeFileInState: Scenario = {
  title: "An 800 KB result, then twelve small steps",
  peer: "deepagents",
  buildPeer: deepAgent,
  options: { defaultStorage: true },
  world() {
    const { steps, tools, originals, shown } = longWork({ steps: 12, size: 2 });
    const data = rows("dump", size / 60);
    return {
      tools: [...tools, textTool("dump", () => data.join("\n"))],
      reply: script(call("dump", { page: 0 }), ...steps),
      originals: [...originals, ...data],
      shown: [...shown, data[0] ?? ""],
    };
  },
  play: (agent) => agent.run([new HumanMessage("Dump, then read.")]),
  async measure(agent) {
    const bytes = agent.storedBytes();
    return { text: `${(bytes / 1e6).toFixed(1)} MB of checkpoints`, sound: bytes < size };
  },
};
