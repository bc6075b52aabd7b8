import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { rows } from "../world/rows.js";
import { call, script } from "../world/script.js";

/** What the agent wrote and edited away again is only in the arguments of its calls. */
export const writtenArguments: Scenario = {
  title: "Arguments of write_file and edit_file after a summary",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const { steps, tools, originals, shown } = longWork({ steps: 40 });
    const [draft, second, final] = ["draft", "second", "final"].map((tag) => rows(tag, 60).join("\n"));
    const file = { path: "/notes.md", file_path: "/notes.md" };
    const writes = [
      call("write_file", { ...file, content: draft }),
      call("edit_file", { ...file, old_string: draft, new_string: second }),
      call("edit_file", { ...file, old_string: second, new_string: final }),
    ];
    return {
      tools,
      reply: script(...writes, ...steps),
      originals: [...originals, ...[draft, second, final].flatMap((text = "") => text.split("\n"))],
      shown,
      window: 30_000,
    };
  },
  play: (agent) => agent.run([new HumanMessage("Write notes, rewrite them twice, then read the book.")]),
};
