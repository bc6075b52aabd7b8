import { findFolds, readState } from "@palimpsest/inspector";
import { renderTable } from "../terminal-text.js";
import type { Verb } from "../verb.js";

/** Lists the folds of a thread, nested ones included. */
export const folds: Verb = {
  name: "folds",
  description: "List what was folded, when it was folded for which reason, and what it saved",
  args: ["<thread>"],
  options: [["--at <step>", "a step, or the id of a checkpoint (default: the newest)"]],
  async run({ saver, args: [threadId = ""], options }) {
    const { context } = await readState(saver, threadId, options["at"] as string | undefined);
    const archive = saver.files.archive(threadId);
    const found = await findFolds(context, async (path) => archive.readText(path));
    const head = ["depth", "kind", "reason", "messages", "before", "after", "original"];
    const rows = found.map(({ depth, fold }) => [
      depth,
      fold.kind,
      fold.reason ?? "",
      fold.covers.length,
      fold.tokensBefore,
      fold.tokensAfter,
      fold.record ?? fold.path,
    ]);
    const text =
      rows.length === 0 ? "Nothing is folded.\n" : `${renderTable(head, rows)}before, after: tokens\n`;
    return { data: found.map(({ depth, fold }) => ({ depth, ...fold })), text };
  },
};
