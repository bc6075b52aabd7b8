import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, fromStoredMessage, unfold, type StoredMessage } from "@palimpsest/context";
import type { Archive } from "@palimpsest/vfs";

/**
 * Returns the messages with every stand-in for steps replaced by them, and every preview that a selection made by its
 * original; folds of others stay as they are.
 */
export async function openThread(
  messages: readonly BaseMessage[],
  archive: Archive,
): Promise<readonly BaseMessage[]> {
  const opened: BaseMessage[] = [];
  for (const message of messages) {
    const fold = foldOf(message);
    if (fold?.kind === "offload" && fold.reason === "predicted") {
      opened.push(...(await unfold([message], (path) => archive.readText(path))));
      continue;
    }
    if (fold?.kind !== "chunk" || fold.record === undefined) {
      opened.push(message);
      continue;
    }
    const lines = (await archive.readText(fold.record)).split("\n").filter((line) => line !== "");
    const inner = lines.map((line) => fromStoredMessage(JSON.parse(line) as StoredMessage));
    opened.push(...(await openThread(inner, archive)));
  }
  return opened;
}
