import type { BaseMessage } from "@langchain/core/messages";
import { textOf } from "../data/text-of.js";

/** How much of a prompt the provider has in its cache. */
export interface Prefix {
  /** Tokens, of four characters, that begin the prompt before as well. */
  readonly cached: number;
  readonly tokens: number;
  /** The previous prompt is not a prefix of this one. */
  readonly isBroken: boolean;
}

/** Returns the common prefix of two successive prompts. Pure. */
export function prefixOf(before: readonly BaseMessage[], now: readonly BaseMessage[]): Prefix {
  let same = 0;
  while (same < before.length && same < now.length && isSame(before[same], now[same])) same++;
  const characters = now.slice(0, same).reduce((sum, message) => sum + textOf(message).length, 0);
  const [one, other] = [before[same], now[same]];
  const more = one === undefined || other === undefined ? 0 : commonLength(textOf(one), textOf(other));
  return {
    cached: (characters + more) / 4,
    tokens: now.reduce((sum, message) => sum + textOf(message).length, 0) / 4,
    isBroken: same < before.length,
  };
}

function isSame(one: BaseMessage | undefined, other: BaseMessage | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return one.getType() === other.getType() && textOf(one) === textOf(other);
}

function commonLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}
