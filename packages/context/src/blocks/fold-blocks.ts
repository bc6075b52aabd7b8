import type { BaseMessage } from "@langchain/core/messages";
import { defaults } from "../defaults.js";
import { estimateTokens } from "../estimate-tokens.js";
import { unchanged, type Rewrite } from "../rewrite.js";
import type { TokenCounter } from "../token-counter.js";
import { condense } from "./condense.js";
import type { FoldUnit } from "./fold-units.js";
import { extractGoal } from "./goals.js";
import { keptIds } from "./kept-ids.js";
import { layOutBlocks } from "./lay-out-blocks.js";
import type { Stacked } from "./stack-units.js";
import { soughtWords } from "./telling-part.js";
import { waitingUnits } from "./waiting-units.js";
import { workspaceOf } from "./workspace.js";

export interface FoldBlocksOptions {
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
  /** Tokens of the automatic summary of one step. @default 65 */
  readonly microTokens?: number;
  /** Tokens of user messages that stay verbatim besides the first and the latest. @default 20,000 */
  readonly userTokens?: number;
  /** Messages that stay verbatim, each with its whole call and results. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
}

/**
 * Returns the context in which every interaction that the model has seen is a micro block: a pass like the others.
 *
 * Pure, calls no model. The latest interaction, the user's words and pins stay. Messages need ids (`withIds`).
 */
export function foldBlocks(messages: readonly BaseMessage[], options: FoldBlocksOptions = {}): Rewrite {
  const { tokenCounter = estimateTokens, microTokens = defaults.microTokens } = options;
  const { userTokens = defaults.userTokens, pin } = options;
  const { units, past, latest } = workspaceOf(messages);
  const making = {
    tokenCounter,
    kept: keptIds(units, { userTokens, tokenCounter, pin }),
    newest: messages.at(-1)?.id,
    sought: soughtWords(extractGoal(messages)?.text ?? ""),
  };
  const waiting = waitingUnits(units);
  const made: Stacked[] = [];
  let id = Math.max(0, ...past.flatMap(({ block }) => block?.id ?? []));
  const folded = past.map((unit): FoldUnit => {
    const isKept = unit.messages.every((message) => message.id !== undefined && making.kept.has(message.id));
    if (unit.kind !== "raw" || isKept || waiting.has(unit)) return unit;
    const stacked = condense(unit, { ...making, id: ++id, microTokens });
    made.push(stacked);
    return stacked.unit;
  });
  if (made.length === 0) return unchanged(messages);
  return {
    messages: [...layOutBlocks(folded), ...latest],
    writes: made.flatMap(({ writes }) => writes),
    folds: made.map(({ fold }) => fold),
  };
}
