import type { CheckpointKey, Engine } from "../engine.js";

/** A stored checkpoint without its values. */
export interface CheckpointEntry extends CheckpointKey {
  readonly parentId: string | undefined;
  /** The step of its run, counted from -1; undefined where the host gave none. */
  readonly step: number | undefined;
  /** ISO 8601 time of the checkpoint. */
  readonly createdAt: string;
}

/** Yields the checkpoints of a thread, newest first in each namespace. */
export async function* checkpointEntries(
  engine: Pick<Engine, "list">,
  threadId: string,
): AsyncGenerator<CheckpointEntry> {
  const tuples = engine.list({ threadId, withoutWrites: true });
  for await (const { namespace, id, parentId, metadata, checkpoint } of tuples) {
    const step = metadata["step"];
    yield {
      threadId,
      namespace,
      id,
      parentId,
      step: typeof step === "number" ? step : undefined,
      createdAt: checkpoint.ts,
    };
  }
}
