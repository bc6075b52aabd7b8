import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, unfold, type Fold, type ReadArchive } from "@palimpsest/context";

/** A fold and how deep it is nested: 1 for one that the context shows. */
export interface FoundFold {
  readonly depth: number;
  readonly fold: Fold;
}

/** Returns the folds of messages and of what they fold, outermost first. A fold whose file is gone hides none. */
export async function findFolds(
  messages: readonly BaseMessage[],
  read: ReadArchive,
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
    level = await unfold(level, read, { levels: 1 });
  }
}
