import { stepsOf } from "@palimpsest/inspector";
import { count, terminalText } from "../terminal-text.js";
import { countOption, type Verb } from "../verb.js";

/** Deletes old checkpoints. */
export const prune: Verb = {
  name: "prune",
  description: "Delete old checkpoints of a thread; the newest state and the archive stay whole",
  args: ["<thread>"],
  options: [["--keep <number>", "number of newest checkpoints to keep"]],
  canWrite: true,
  async run({ saver, args: [threadId = ""], options }) {
    const keepLast = countOption(options, "keep");
    await stepsOf(saver, threadId);
    const pruned = await saver.prune(threadId, { keepLast });
    const { checkpoints, blobs, files } = pruned;
    const text = `${threadId}: deleted ${count(checkpoints)} checkpoints, ${count(blobs)} values and ${count(files)} file contents that only they used.\n`;
    return { data: { thread: threadId, ...pruned }, text: terminalText(text) };
  },
};
