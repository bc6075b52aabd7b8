import type { RunnableConfig } from "@langchain/core/runnables";
import { CheckpointError } from "../checkpoint-error.js";
import type { CheckpointKey } from "../engine.js";

/** Returns the key in a config. Throws a CheckpointError "bad-option" when the thread, or a needed id, is missing. */
export function placeOf(
  config: RunnableConfig,
  { needsId = false }: { readonly needsId?: boolean } = {},
): CheckpointKey {
  const {
    thread_id: threadId,
    checkpoint_ns: namespace = "",
    checkpoint_id: id = "",
  } = config.configurable ?? {};
  if (needsId && (typeof id !== "string" || id === "")) {
    throw new CheckpointError(
      "bad-option",
      "configurable.checkpoint_id is missing. Pass the id of the checkpoint that the writes follow.",
    );
  }
  checkNames(config);
  return { threadId: checkThreadId(threadId), namespace, id };
}

/** Returns the id of a thread. Throws a CheckpointError "bad-option" for an id that an engine cannot store. */
export function checkThreadId(threadId: unknown): string {
  if (typeof threadId !== "string" || threadId === "") {
    throw new CheckpointError(
      "bad-option",
      `configurable.thread_id is ${JSON.stringify(threadId)}. Pass a thread_id that is a string and not empty.`,
    );
  }
  checkNames({ configurable: { thread_id: threadId } });
  return threadId;
}

/**
 * Throws a CheckpointError "bad-option" for a name with a lone surrogate, because UTF-8 has one replacement for all of them and
 * two such names would share their rows, and for one with NUL, which a text of Postgres cannot contain.
 */
export function checkNames({ configurable }: RunnableConfig): void {
  for (const key of ["thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "task_path"]) {
    const name: unknown = configurable?.[key];
    if (typeof name !== "string" || (name.isWellFormed() && !name.includes("\0"))) continue;
    const [what, way] = name.includes("\0")
      ? ["NUL", "Leave it out"]
      : ["a lone surrogate", "Pass well-formed Unicode"];
    throw new CheckpointError(
      "bad-option",
      `configurable.${key} is ${JSON.stringify(name)}, which has ${what}. ${way}.`,
    );
  }
}
