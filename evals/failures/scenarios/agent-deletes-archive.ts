import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { rows } from "../world/rows.js";
import { call, script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";
import { offloadedPath } from "./large-result.js";

/** An agent that tidies up what was offloaded for it. */
export const agentDeletesArchive: Scenario = {
  title: "The agent overwrites and deletes what was offloaded",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const data = rows("log", 2_000);
    return {
      tools: [textTool("log", () => data.join("\n"))],
      reply: script(
        call("log", { page: 0 }),
        (prompt) => tidy("edit_file", offloadedPath(prompt)),
        (prompt) => tidy("write_file", offloadedPath(prompt)),
        (prompt) => tidy("delete", offloadedPath(prompt)),
      ),
      originals: data,
      shown: data.slice(0, 1),
    };
    function tidy(tool: string, path: string) {
      const change = { old_string: data[1_000], new_string: "", content: "" };
      return call(tool, { path, file_path: path, ...change });
    }
  },
  play: (agent) => agent.run([new HumanMessage("Read the log and tidy up.")]),
};
