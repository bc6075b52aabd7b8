import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { rows } from "../world/rows.js";
import { call, script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";
import type { StorageState } from "../world/world.js";

/** Returns a scenario in which a large result arrives and nothing can be stored. */
export function brokenStorage(storage: StorageState, title: string): Scenario {
  return {
    title,
    peer: "deepagents",
    buildPeer: deepAgent,
    world() {
      const data = rows("log", 2_000);
      return {
        tools: [textTool("log", () => data.join("\n"))],
        reply: script(call("log", { page: 0 })),
        originals: data,
        shown: data.slice(0, 1),
        storage,
      };
    },
    play: (agent) => agent.run([new HumanMessage("Read the log.")]),
  };
}
