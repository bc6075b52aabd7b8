import type { VfsSaver } from "@palimpsest/checkpoint";
import { stepsOf } from "@palimpsest/inspector";
import { UsageError } from "../cli-error.js";
import { count, counted, terminalText } from "../terminal-text.js";
import { countOption, type Report, type Verb } from "../verb.js";

/** Deletes old checkpoints. */
export const prune: Verb = {
  name: "prune",
  description: "Delete old checkpoints of a thread; the newest state and the archive stay whole",
  args: ["<thread>"],
  options: [
    ["--keep <number>", "number of newest checkpoints to keep, in each namespace of the thread"],
    ["--dry-run", "say what would be deleted, and delete nothing"],
    ["--yes", "delete; without it nothing is deleted"],
  ],
  writesWith: "yes",
  async run({ saver, args: [threadId = ""], options }) {
    const keepLast = countOption(options, "keep");
    const isDry = options["dryRun"] === true;
    if (isDry && options["yes"] === true)
      throw new UsageError("--dry-run deletes nothing and --yes deletes. Pass one of them.");
    await stepsOf(saver, threadId);
    if (options["yes"] !== true) return preview(saver, { threadId, keepLast, isDry });
    const pruned = await saver.prune(threadId, { keepLast });
    const { checkpoints, blobs, files } = pruned;
    const text = `${threadId}: deleted ${counted(checkpoints, "checkpoint")}, ${counted(blobs, "value")} and ${counted(files, "file content")} that only they used.\n`;
    return { data: { thread: threadId, ...pruned }, text: terminalText(text) };
  },
};

interface PreviewOptions {
  readonly threadId: string;
  readonly keepLast: number;
  /** Whether this is all that was asked for. */
  readonly isDry: boolean;
}

/** Says what would be deleted. */
async function preview(saver: VfsSaver, { threadId, keepLast, isDry }: PreviewOptions): Promise<Report> {
  const kept = new Map<string, number>();
  let [all, deleted, newest] = [0, 0, ""];
  for await (const { namespace, createdAt } of saver.checkpoints(threadId)) {
    all += 1;
    const number = (kept.get(namespace) ?? 0) + 1;
    kept.set(namespace, number);
    if (number <= keepLast) continue;
    deleted += 1;
    if (newest < createdAt) newest = createdAt;
  }
  const data = { thread: threadId, checkpoints: deleted, of: all, dryRun: true };
  const until = deleted === 0 ? "" : `, the newest of them of ${newest}`;
  const text = `${threadId}: --keep ${keepLast} would delete ${count(deleted)} of ${counted(all, "checkpoint")}${until}. The newest state and the archive stay whole; forks and time travel to these steps end.\n`;
  const way = isDry || deleted === 0 ? "" : "Nothing is deleted. Add --yes to delete.\n";
  return { data, text: terminalText(text) + way, isFailure: !isDry && deleted > 0 };
}
