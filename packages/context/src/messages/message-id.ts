import type { BaseMessage } from "@langchain/core/messages";
import { sha256 } from "js-sha256";
import { distinctOnce } from "../collect-once.js";
import { copyMessage } from "./copy-message.js";
import { toStoredMessage } from "./stored-message.js";

/**
 * Returns the messages, each with an id that is unique in the list.
 *
 * Pure and deterministic: a missing or repeated id is replaced by one derived from the content and the number of its
 * occurrences, so the same list gets the same ids on every run. Messages with a unique id are not copied.
 */
export function withIds(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  if (haveIds(messages)) return messages;
  const seen = new Set<string>();
  return messages.map((message) => {
    if (typeof message.id === "string" && message.id !== "" && !seen.has(message.id)) {
      seen.add(message.id);
      return message;
    }
    const id = freshId(message, seen);
    seen.add(id);
    return copyMessage(message, { id });
  });
}

/** True when every message has a unique id. Hot path: runs at every step. */
const haveIds = distinctOnce(({ id }) => (typeof id === "string" && id !== "" ? id : undefined));

/** Digests of messages: a thread without ids is named again at each step. */
const digests = new WeakMap<BaseMessage, string>();

function freshId(message: BaseMessage, seen: ReadonlySet<string>): string {
  const own = digests.get(message) ?? digest(JSON.stringify(toStoredMessage(message)));
  digests.set(message, own);
  const base = `message-${own}`;
  for (let copy = 1; ; copy++) {
    const id = copy === 1 ? base : `${base}-${copy}`;
    if (!seen.has(id)) return id;
  }
}

/** True for an id that {@link withIds} has assigned. */
export function hasDerivedId({ id }: BaseMessage): boolean {
  return id !== undefined && /^message-[0-9a-f]{16}(-\d+)?$/.test(id);
}

/** The hash function of Node, which takes a quarter of the time. Other runtimes have none. */
const nativeHash = globalThis.process?.getBuiltinModule?.("node:crypto")?.hash;

/** Returns the first 16 hex characters of the SHA-256 of `text`, the same in every runtime: names are made of it. */
export function digest(text: string): string {
  const wellFormed = text.toWellFormed();
  return (nativeHash?.("sha256", wellFormed) ?? sha256(wellFormed)).slice(0, 16);
}
