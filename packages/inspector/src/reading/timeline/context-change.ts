import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import { parts } from "../../view.js";
import { partOf } from "../part-of.js";

/** The difference between two contexts. Both begin with the same objects up to these messages. */
export interface ContextChange {
  /** The rest of the earlier context, from the first message on that is another object. */
  readonly removed: readonly BaseMessage[];
  readonly added: readonly BaseMessage[];
  /** Leading messages that are equal. */
  readonly unchanged: number;
}

/** Compares two contexts. Compares objects that both hold only by identity. Pure. */
export function contextChange(before: readonly BaseMessage[], after: readonly BaseMessage[]): ContextChange {
  let from = 0;
  while (from < after.length && after[from] === before[from]) from += 1;
  let unchanged = from;
  while (unchanged < after.length && isSame(after[unchanged] as BaseMessage, before[unchanged]))
    unchanged += 1;
  return { removed: before.slice(from), added: after.slice(from), unchanged };
}

/** Most equal messages are one object; one with the same id may have been stored again. */
export function isSame(message: BaseMessage, other: BaseMessage | undefined): boolean {
  if (message === other) return true;
  if (other === undefined || message.id !== other.id || message.getType() !== other.getType()) return false;
  return foldOf(message)?.id === foldOf(other)?.id && message.text === other.text;
}

/** Returns sums of tokens by part, in the order of `parts`, with messages added and others taken away. Pure. */
export function addTokens(
  sums: readonly number[],
  added: readonly BaseMessage[],
  removed: readonly BaseMessage[],
): readonly number[] {
  const result = [...sums];
  const add = (messages: readonly BaseMessage[], sign: 1 | -1): void => {
    for (const message of messages) {
      const { part, tokens, reasoning } = partOf(message);
      const index = parts.indexOf(part);
      result[index] = (result[index] ?? 0) + sign * (tokens - reasoning);
      result[reasoningAt] = (result[reasoningAt] ?? 0) + sign * reasoning;
    }
  };
  add(added, 1);
  add(removed, -1);
  return result;
}

const reasoningAt = parts.indexOf("reasoning");

/** The tokens of an empty context. */
export const noTokens: readonly number[] = parts.map(() => 0);
