import { CheckpointError } from "../../checkpoint-error.js";
import type { Engine, StoredTuple } from "../../engine.js";

/** What reads and decodes the state of a thread. */
interface Readable {
  readonly engine: Pick<Engine, "read">;
  readonly reader: { readonly read: (tuple: StoredTuple) => Promise<unknown> };
}

/**
 * Reads the newest state of a thread without keys. Throws a CheckpointError "missing-key" for an encrypted one: what is written to it
 * from here would stand there in clear, and its agent could not go on from it. Damage is no reason to refuse a write.
 */
export async function requireClear({ engine, reader }: Readable, threadId: string): Promise<void> {
  try {
    const { tuple } = await engine.read({ threadId, namespace: "" });
    if (tuple) await reader.read(tuple);
  } catch (cause) {
    if (!CheckpointError.isInstance(cause) || cause.code !== "missing-key") return;
    const message = `Nothing was written to the thread ${JSON.stringify(threadId)}, which is encrypted. ${cause.message}`;
    throw new CheckpointError("missing-key", message, { cause });
  }
}
