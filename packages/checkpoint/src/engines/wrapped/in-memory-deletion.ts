import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { CheckpointKey } from "../../engine.js";

/** Deletes checkpoints of one thread, with their writes. Safe to repeat. */
export type DeleteCheckpoints = (checkpoints: readonly CheckpointKey[]) => Promise<void>;

/** Returns a function that deletes checkpoints of a MemorySaver; undefined for another saver, whose storage is not known. */
export function inMemoryDeletion(saver: BaseCheckpointSaver): DeleteCheckpoints | undefined {
  if (!(saver instanceof MemorySaver)) return undefined;
  return async (keys) => {
    for (const { threadId, namespace, id } of keys) {
      delete saver.storage[threadId]?.[namespace]?.[id];
      delete saver.writes[JSON.stringify([threadId, namespace, id])];
    }
  };
}
