import type { RunnableConfig } from "@langchain/core/runnables";
import { CheckpointError } from "../checkpoint-error.js";
import type { CheckpointKey } from "../engine.js";

/** Returns the key in a config. Throws a CheckpointError "bad-option" when the thread, or a needed id, is missing. */
export function placeOf(
  config: RunnableConfig,
  { needsId = false }: { readonly needsId?: boolean } = {},
): CheckpointKey {
  const { threadId, namespace = "", id = "" } = namesIn(config);
  if (needsId && id === "") {
    throw new CheckpointError(
      "bad-option",
      "configurable.checkpoint_id is missing. Pass the id of the checkpoint that the writes follow.",
    );
  }
  return { threadId: checkThreadId(threadId), namespace, id };
}

/** What a config names. The thread is not checked: a list may go without. */
interface ConfigNames {
  readonly threadId: unknown;
  readonly namespace: string | undefined;
  readonly id: string | undefined;
}

/** Returns the names in a config, where `null` is as good as none. Throws a CheckpointError "bad-option" for a name that is no text. */
export function namesIn(config: Partial<RunnableConfig> | undefined): ConfigNames {
  const { thread_id: threadId, ...names } = config?.configurable ?? {};
  const [namespace, id] = (["checkpoint_ns", "checkpoint_id"] as const).map((key) => {
    const name: unknown = names[key] ?? undefined;
    return name === undefined ? undefined : checkName(`configurable.${key}`, name);
  });
  return { threadId, namespace, id };
}

/** Returns the id of a thread. Throws a CheckpointError "bad-option" for an id that an engine cannot store. */
export function checkThreadId(threadId: unknown): string {
  return checkId("configurable.thread_id", threadId);
}

/** Returns an id, which is a text that is not empty. Throws a CheckpointError "bad-option" for any other value. */
export function checkId(what: string, id: unknown): string {
  if (typeof id === "string" && id !== "") return checkName(what, id);
  throw refused(what, id, `. Pass a ${what.split(".").at(-1)} that is a string and not empty`);
}

/**
 * Returns a name. Throws a CheckpointError "bad-option" for one that is no text, which an engine might store and never read
 * again; for one with a lone surrogate, because UTF-8 has one replacement for all of them and two such names would share their
 * rows; and for one with NUL, which a text of Postgres cannot contain.
 */
export function checkName(what: string, name: unknown): string {
  if (typeof name !== "string")
    throw refused(what, name, `. Pass a ${what.split(".").at(-1)} that is a string`);
  if (name.includes("\0")) throw refused(what, name, ", which has NUL. Leave it out");
  if (!name.isWellFormed())
    throw refused(what, name, ", which has a lone surrogate. Pass well-formed Unicode");
  return name;
}

function refused(what: string, value: unknown, wayOut: string): CheckpointError {
  return new CheckpointError("bad-option", `${what} is ${shown(value)}${wayOut}.`);
}

/** Returns a value as text for a message. Pure. */
export function shown(value: unknown): string {
  if (typeof value === "string" || typeof value === "object") return JSON.stringify(value);
  return typeof value === "symbol" || typeof value === "function" ? typeof value : `${value as number}`;
}
