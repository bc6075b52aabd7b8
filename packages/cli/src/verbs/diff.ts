import { compareStates, readState } from "@palimpsest/inspector";
import { oneLine, terminalText } from "../terminal-text.js";
import type { Verb } from "../verb.js";

/** Compares what the model was sent, and the workspace, at two steps. */
export const diff: Verb = {
  name: "diff",
  description: "Compare the context and the files of a thread at two steps",
  args: ["<thread>", "<step>", "<other-step>"],
  options: [],
  async run({ saver, args: [threadId = "", from = "", to = ""] }) {
    const [before, after] = [await readState(saver, threadId, from), await readState(saver, threadId, to)];
    const differences = compareStates(before, after);
    const sign = { added: "+", removed: "-", changed: "~" } as const;
    const lines = differences.map(({ change, what, name, text }) =>
      [sign[change], what, terminalText(name), oneLine(text, 160)].filter((part) => part !== "").join(" "),
    );
    return {
      data: differences,
      text: lines.length === 0 ? "The two steps are equal.\n" : `${lines.join("\n")}\n`,
    };
  },
};
