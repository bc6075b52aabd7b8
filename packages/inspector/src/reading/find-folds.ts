import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type Fold, type ReadArchive } from "@palimpsest/context";
import { heldOriginals, messagesOfRecord } from "@palimpsest/context/internal";

/** A fold and how deep it is nested: 1 for one that the context shows. */
export interface FoundFold {
  readonly depth: number;
  readonly fold: Fold;
}

/** The key of a fold in a stored message. Other text may also contain it. */
const mark = '"palimpsest"';

/**
 * Returns the folds of messages and the folds inside them, outermost first. Skips the inside of a fold whose file is gone.
 * Reads each record once, and parses only lines that may contain a fold, because a long thread nests summaries deeply.
 */
export async function findFolds(
  messages: readonly BaseMessage[],
  read: ReadArchive,
): Promise<readonly FoundFold[]> {
  const found: FoundFold[] = [];
  const known = new Set<string>();
  const held = new Map<string, string>();
  let level = messages;
  for (let depth = 1; ; depth++) {
    for (const [path, content] of heldOriginals(level)) held.set(path, content);
    const added = level.flatMap((message) => foldOf(message) ?? []).filter(({ id }) => !known.has(id));
    if (added.length === 0) return found;
    const records = new Set<string>();
    for (const fold of added) {
      known.add(fold.id);
      found.push({ depth, fold });
      // Without a record, the file holds the content of one message, and no fold.
      if (fold.record !== undefined) records.add(fold.record);
    }
    const nested: BaseMessage[] = [];
    for (const record of records) {
      const text = held.get(record) ?? (await read(record).catch(emptyIfMissing));
      const lines = text.split("\n").filter((line) => line.includes(mark));
      nested.push(...messagesOfRecord(lines.join("\n"), record));
    }
    level = nested;
  }
}

function emptyIfMissing(error: unknown): string {
  if ((error as { readonly code?: unknown }).code === "not-found") return "";
  throw error;
}
