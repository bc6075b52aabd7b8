import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { rows } from "../world/rows.js";
import { call, script } from "../world/script.js";

/** Each break of the prefix makes the provider read the whole prompt anew, at the full price. */
export const brokenPrefix: Scenario = {
  title: "The prompt prefix over sixty files written, 3 KB each",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const files = Array.from({ length: 60 }, (_, file) => rows(`file${file}`, 50));
    const writes = files.map((lines, file) => {
      const path = `/out/${file}.txt`;
      return call("write_file", { path, file_path: path, content: lines.join("\n") });
    });
    return { reply: script(...writes), originals: files.flat() };
  },
  play: (agent) => agent.run([new HumanMessage("Write sixty files.")]),
  async measure({ calls }) {
    const prompts = calls.filter(({ purpose }) => purpose === "agent");
    const broken = prompts.filter(({ text }, index) => !text.startsWith(prompts[index - 1]?.text ?? ""));
    return {
      text: `prefix broken on ${broken.length} of ${prompts.length - 1} calls`,
      sound: broken.length === 0,
    };
  },
};
