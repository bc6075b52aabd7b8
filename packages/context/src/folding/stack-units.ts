import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { blockFiles, type LaneOptions } from "../folds/archive-paths.js";
import {
  coverage,
  foldKwargs,
  foldOf,
  isOwn,
  type Fold,
  type FoldedBlock,
  type OwnMessage,
} from "../folds/fold.js";
import type { ArchiveWrite } from "../folds/rewrite.js";
import { digest } from "../messages/message-id.js";
import { messageLines } from "../messages/message-lines.js";
import { recordText } from "../messages/stored-message.js";
import { clipText } from "../messages/text.js";
import { isToolResult } from "../messages/tool-calls.js";
import { boxLines, joinPlans } from "../plans/plan-list.js";
import { userLines } from "../summary/user-lines.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import type { FoldUnit } from "./fold-units.js";
import { blockLine, blockOf, blocksOf } from "./state-block.js";

/** Options that all blocks of one run share. */
export interface BlockOptions extends LaneOptions {
  readonly tokenCounter: TokenCounter;
  /** Ids of messages that stay verbatim before the block: the user's words, pins, system messages. */
  readonly kept: ReadonlySet<string>;
  /** Id of the newest message of the context. */
  readonly newest?: string | undefined;
  /** Tokens of the lines that a block carries of the user messages that it replaces. @default 3,000 */
  readonly userLineTokens?: number | undefined;
  /** Words of the goal: automatic summaries prefer passages with them. @default none */
  readonly goalWords?: ReadonlySet<string> | undefined;
}

export interface StackOptions extends BlockOptions {
  readonly scale: "micro" | "macro";
  readonly block: Omit<FoldedBlock, "startStep" | "endStep">;
  readonly reason?: string | undefined;
  /** Messages to archive; must unfold to the originals. @default the messages of the units */
  readonly record?: readonly BaseMessage[];
  /** Renders the readable file at the path of the fold. */
  readonly markdown: (record: readonly BaseMessage[]) => string;
}

/** A block that replaces several units, with the writes to archive first. */
export interface Stacked {
  readonly unit: FoldUnit;
  readonly fold: Fold;
  readonly writes: readonly ArchiveWrite[];
}

/** Returns the block that replaces some units. Pure and deterministic: its name is a digest of its text and one of its record. */
export function stackUnits(units: readonly FoldUnit[], options: StackOptions): Stacked {
  const { scale, tokenCounter, kept, newest, reason } = options;
  const region = units.flatMap(({ messages }) => messages);
  const record = options.record ?? region;
  const content = recordText(record);
  const steps = stepsOf(units);
  const isCarried = (message: BaseMessage): message is OwnMessage =>
    isOwn(message) && message.id !== undefined && kept.has(message.id);
  const carried = region.filter(isCarried);
  const folded = region.filter((message) => !isCarried(message));
  const lines = userLines(folded, { tokens: options.userLineTokens, tokenCounter });
  const plan = joinPlans(folded.map(planIn));
  const block = {
    ...options.block,
    ...steps,
    ...(lines.length === 0 ? {} : { userLines: lines }),
    ...(plan.length === 0 ? {} : { plan }),
  };
  const markdown = options.markdown(record).toWellFormed();
  const name = `${digest(markdown).slice(0, 8)}-${digest(content)}`;
  const files = blockFiles(steps, name, options.lane);
  const line = blockLine(block);
  const fold: Fold = {
    id: `${scale}-${block.id}-${name}`,
    kind: scale,
    ...files,
    ...coverage(region, carried),
    about: clipText(block.text, 60),
    ...(newest === undefined ? {} : { newest }),
    generation: 1 + Math.max(0, ...region.map(rewritesOf)),
    ...(reason === undefined ? {} : { reason }),
    tokensBefore: tokenCounter(folded),
    tokensAfter: tokenCounter([new HumanMessage(line)]),
    block,
  };
  const standIn = new HumanMessage({ id: fold.id, content: line, additional_kwargs: foldKwargs(fold) });
  return {
    unit: { kind: "block", messages: [...carried, standIn], ...steps, block: { ...block, scale } },
    fold,
    writes: [
      { path: files.record, content },
      { path: files.path, content: markdown },
    ],
  };
}

/** Returns the lines with check-boxes of a message, or those that a block carries. */
function planIn(message: BaseMessage): readonly string[] {
  const block = blockOf(message);
  if (block !== undefined) return block.plan ?? [];
  return isToolResult(message) ? [] : boxLines(messageLines(message));
}

/** Returns how often the text of a block was rewritten from other blocks. */
function rewritesOf(message: BaseMessage): number {
  return blocksOf([message]).length === 0 ? 0 : (foldOf(message)?.generation ?? 0);
}

/** Returns the range of steps of consecutive units. */
export function stepsOf(units: readonly FoldUnit[]): {
  readonly startStep: number;
  readonly endStep: number;
} {
  const stepping = units.filter(({ kind }) => kind !== "words");
  return {
    startStep: Math.min(...stepping.map((unit) => unit.startStep)),
    endStep: Math.max(...stepping.map((unit) => unit.endStep)),
  };
}
