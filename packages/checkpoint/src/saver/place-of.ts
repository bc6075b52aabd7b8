import type { RunnableConfig } from "@langchain/core/runnables";
import { CheckpointError } from "../checkpoint-error.js";
import type { CheckpointKey } from "../engine.js";

/** Returns where a config points. Throws a CheckpointError "invalid-config" when the thread, or a needed id, is missing. */
export function placeOf(
  config: RunnableConfig,
  { needsId = false }: { readonly needsId?: boolean } = {},
): CheckpointKey {
  const {
    thread_id: threadId,
    checkpoint_ns: namespace = "",
    checkpoint_id: id = "",
  } = config.configurable ?? {};
  if (typeof threadId !== "string" || threadId === "") {
    throw new CheckpointError(
      "invalid-config",
      `configurable.thread_id is ${JSON.stringify(threadId)}. Give each conversation a thread_id, a string that is not empty.`,
    );
  }
  if (needsId && (typeof id !== "string" || id === "")) {
    throw new CheckpointError(
      "invalid-config",
      "configurable.checkpoint_id is missing. Give the id of the checkpoint that the writes follow.",
    );
  }
  return { threadId, namespace, id };
}
