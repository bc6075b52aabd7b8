import { stepsOf } from "@palimpsest/inspector";
import { count, terminalText } from "../terminal-text.js";
import { countOption, type Verb } from "../verb.js";

/** Deletes old checkpoints. */
export const prune: Verb = {
  name: "prune",
  description:
    "Delete all but the newest checkpoints of a thread; the archive and the newest state stay whole",
  args: ["<thread>"],
  options: [["--keep <number>", "how many checkpoints to keep"]],
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
