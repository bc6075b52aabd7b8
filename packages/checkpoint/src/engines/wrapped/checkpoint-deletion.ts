import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { CheckpointKey } from "../engine.js";

/** Deletes checkpoints of one thread with their writes. Safe to repeat. */
export type DeleteCheckpoints = (checkpoints: readonly CheckpointKey[]) => Promise<void>;

/** Returns how a saver's single checkpoints are deleted where that is known: the interface of savers has no way to. */
export function checkpointDeletion(saver: BaseCheckpointSaver): DeleteCheckpoints | undefined {
  return saver instanceof MemorySaver ? async (keys) => deleteInMemory(saver, keys) : undefined;
}

function deleteInMemory(saver: MemorySaver, keys: readonly CheckpointKey[]): void {
  for (const { threadId, namespace, id } of keys) {
    delete saver.storage[threadId]?.[namespace]?.[id];
    delete saver.writes[JSON.stringify([threadId, namespace, id])];
  }
}
