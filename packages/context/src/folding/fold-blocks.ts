import type { BaseMessage } from "@langchain/core/messages";
import { keepApart } from "../cuts/keep-apart.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { defaults } from "../options.js";
import type { LaneOptions } from "../folds/archive-paths.js";
import { isOwn, isUserMessage } from "../folds/fold.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { goalWordsOf } from "./block-text.js";
import { condense, unitFindings } from "./condense.js";
import { waitingUnits, type FoldUnit } from "./fold-units.js";
import { goalsOf } from "./goals.js";
import { layOutBlocks } from "./lay-out-blocks.js";
import type { Stacked } from "./stack-units.js";
import { workspaceOf } from "./workspace.js";

export interface FoldBlocksOptions extends LaneOptions {
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
  /** Maximum tokens of the automatic summary of one step. @default 65 */
  readonly microTokens?: number;
  /** Tokens of user messages that stay verbatim besides the first and the latest. @default 20,000 */
  readonly userTokens?: number;
  /** Messages that stay verbatim, each with its whole call and results. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
}

/**
 * Returns the context in which a micro block replaces every interaction that the model has seen.
 *
 * Pure, calls no model. Keeps the latest interaction, the user's words, pins, and everything up to a compaction by the provider. Messages need ids (`withIds`).
 */
export function foldBlocks(messages: readonly BaseMessage[], options: FoldBlocksOptions = {}): Rewrite {
  const { tokenCounter = estimateTokens, microTokens = defaults.microTokens } = options;
  const { userTokens = defaults.userTokens, pin, lane } = options;
  const { units, head, past, latest } = workspaceOf(messages);
  const blockOptions = {
    tokenCounter,
    kept: keptIds(units, { userTokens, tokenCounter, pin }),
    newest: messages.at(-1)?.id,
    lane,
    goalWords: goalWordsOf(goalsOf(messages).at(-1)?.text ?? ""),
  };
  const waiting = waitingUnits(units);
  const blocks: Stacked[] = [];
  let id = Math.max(0, ...units.flatMap(({ block }) => block?.id ?? []));
  const folded = past.map((unit): FoldUnit => {
    const isKept = unit.messages.every(
      (message) => message.id !== undefined && blockOptions.kept.has(message.id),
    );
    if (unit.kind !== "raw" || isKept || waiting.has(unit)) return unit;
    const before = [...units, ...blocks.map((block) => block.unit)];
    const findings = unitFindings(unit, { before, microTokens, tokenCounter });
    const stacked = condense(unit, { ...blockOptions, id: ++id, microTokens, findings });
    blocks.push(stacked);
    return stacked.unit;
  });
  if (blocks.length === 0) return unchanged(messages);
  return {
    messages: [...head.flatMap((unit) => unit.messages), ...layOutBlocks(folded), ...latest],
    writes: blocks.flatMap(({ writes }) => writes),
    folds: blocks.map(({ fold }) => fold),
  };
}

export interface KeptIdsOptions {
  /** Tokens of user messages that stay verbatim besides the first and the latest. */
  readonly userTokens: number;
  readonly tokenCounter: TokenCounter;
  /** Messages that stay verbatim, each with its whole call and results. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
}

/**
 * Returns the ids of the messages that blocks must leave in the context: user messages up to a budget, system messages,
 * and pinned messages, including those that an earlier block carried. A user message between two turns of the model that stay is
 * kept beyond the budget, because a provider may refuse the turns in a row. Pure.
 */
export function keptIds(
  units: readonly FoldUnit[],
  { userTokens, tokenCounter, pin }: KeptIdsOptions,
): ReadonlySet<string> {
  const messages = units.flatMap((unit) => unit.messages);
  const users = messages.filter(isUserMessage);
  const always = new Set([users.at(0), users.at(-1)]);
  let left = userTokens;
  const fitting = users.toReversed().filter((message) => {
    if (!always.has(message)) left -= tokenCounter([message]);
    return always.has(message) || left >= 0;
  });
  const isPinned = (message: BaseMessage) => pin?.(message) === true;
  const pinned = units.flatMap(({ kind, messages: own }) => {
    if (kind === "raw") return own.some(isPinned) ? own : [];
    // An earlier block carried these because they were pinned then.
    return own.filter((message) => isPinned(message) || (kind === "block" && !isUserMessage(message)));
  });
  const system = messages.filter((message) => message.getType() === "system");
  const kept = new Set([...fitting, ...pinned, ...system]);
  const apart = pinned.length === 0 ? [...kept] : withSeparators(messages, kept);
  return new Set(apart.filter(isOwn).flatMap(({ id }) => id ?? []));
}

function withSeparators(
  messages: readonly BaseMessage[],
  kept: ReadonlySet<BaseMessage>,
): readonly BaseMessage[] {
  const indices = messages.flatMap((message, index) => (kept.has(message) ? [index] : []));
  const apart = keepApart(messages, messages.length, new Set(indices));
  return messages.filter((_, index) => apart.has(index));
}
