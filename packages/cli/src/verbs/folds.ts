import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, unfold, type Fold } from "@palimpsest/context";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { readState } from "../read-state.js";
import { renderTable } from "../terminal-text.js";
import type { Verb } from "../verb.js";

/** A fold and how deep it is nested: 1 for one that the context shows. */
export interface FoundFold {
  readonly depth: number;
  readonly fold: Fold;
}

/** Lists the folds of a thread, nested ones included. */
export const folds: Verb = {
  name: "folds",
  description: "List what was folded, when it was folded for which reason, and what it saved",
  args: ["<thread>"],
  options: [["--at <step>", "a step, or the id of a checkpoint (default: the newest)"]],
  async run({ saver, args: [threadId = ""], options }) {
    const { context } = await readState(saver, threadId, options["at"] as string | undefined);
    const found = await findFolds(context, saver.files.archive(threadId));
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

/** Returns the folds of messages and of what they fold, outermost first. A fold whose file is gone hides none. */
export async function findFolds(
  messages: readonly BaseMessage[],
  archive: Pick<ReturnType<VfsSaver["files"]["archive"]>, "readText">,
): Promise<readonly FoundFold[]> {
  const found: FoundFold[] = [];
  const known = new Set<string>();
  let level = messages;
  for (let depth = 1; ; depth++) {
    const added = level.flatMap((message) => foldOf(message) ?? []).filter(({ id }) => !known.has(id));
    if (added.length === 0) return found;
    for (const fold of added) {
      known.add(fold.id);
      found.push({ depth, fold });
    }
    level = await unfold(level, async (path) => archive.readText(path), { levels: 1 });
  }
}
