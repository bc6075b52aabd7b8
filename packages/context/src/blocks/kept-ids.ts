import type { BaseMessage } from "@langchain/core/messages";
import { isSummary } from "../plan-summary.js";
import type { TokenCounter } from "../token-counter.js";
import type { FoldUnit } from "./fold-units.js";

export interface KeptIdsOptions {
  /** Tokens of user messages that stay verbatim besides the first and the latest. */
  readonly userTokens: number;
  readonly tokenCounter: TokenCounter;
  /** Messages that stay verbatim, each with its whole call and results. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
}

/**
 * Returns the ids of the messages that no block may take out of the context: the user's words up to a budget, system
 * messages, and what is pinned, also where it was carried over a block before. Pure.
 */
export function keptIds(
  units: readonly FoldUnit[],
  { userTokens, tokenCounter, pin }: KeptIdsOptions,
): ReadonlySet<string> {
  const messages = units.flatMap((unit) => unit.messages);
  const users = messages.filter((message) => message.getType() === "human" && !isSummary(message));
  const always = new Set([users.at(0), users.at(-1)]);
  let left = userTokens;
  const fitting = users.toReversed().filter((message) => {
    if (!always.has(message)) left -= tokenCounter([message]);
    return always.has(message) || left >= 0;
  });
  const pinned = units.flatMap(({ kind, messages: own }) => {
    if (kind === "block") return own.filter((message) => !isWordsOrSummary(message));
    return kind === "raw" && own.some((message) => pin?.(message) === true) ? own : [];
  });
  const system = messages.filter((message) => message.getType() === "system");
  return new Set([...fitting, ...pinned, ...system].flatMap(({ id }) => id ?? []));
}

function isWordsOrSummary(message: BaseMessage): boolean {
  return message.getType() === "human" || message.getType() === "system";
}
