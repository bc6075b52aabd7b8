import type { BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import { foldContent, rewriteOf, type FoldedContent } from "./fold-content.js";
import type { LaneOptions } from "../folds/archive-paths.js";
import { foldOf } from "../folds/fold.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { nativeStart } from "../messages/provider/native-compaction.js";
import { isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { defaults } from "../options.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface MaskOptions extends LaneOptions {
  /** Number of newest steps with tool calls whose results stay. @default 10 (Complexity Trap, arXiv 2508.21433) */
  readonly keepSteps?: number;
  /** Tokens to free: masks the oldest results first, and stops there. @default all results before the newest steps */
  readonly freeTokens?: number;
  /** Messages that are never masked. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Replaces tool results before the newest steps by one line each, with the path of the archived file: all of them, or the
 * oldest until `freeTokens` are freed.
 *
 * Pure. Shortens an offloaded result to that line. A result stays if the line would not save half of its tokens, or if it
 * precedes a provider's compaction.
 */
export function maskToolResults(messages: readonly BaseMessage[], options: MaskOptions = {}): Rewrite {
  const { keepSteps = defaults.maskKeepSteps, freeTokens = Infinity, pin, lane } = options;
  const { tokenCounter = estimateTokens } = options;
  const steps = messages.flatMap((message, index) =>
    isAi(message) && toolCalls(message).length > 0 ? [index] : [],
  );
  const firstKept = keepSteps <= 0 ? messages.length : (steps.at(-keepSteps) ?? 0);
  const end = Math.min(firstKept, unseenStart(messages));
  const start = nativeStart(messages) + 1;
  const folds: FoldedContent[] = [];
  let freed = 0;
  const result = messages.map((message, index) => {
    if (index < start || index >= end || freed >= freeTokens || pin?.(message)) return message;
    const folded = maskResult(message, { tokenCounter, newest: messages.at(-1)?.id, lane });
    if (folded === undefined) return message;
    folds.push(folded);
    freed += shownTokens(message, folded, tokenCounter) - folded.fold.tokensAfter;
    return folded.message;
  });
  return folds.length === 0 ? unchanged(messages) : rewriteOf(result, folds);
}

/** Returns the tokens that the context shows: the fold of an offloaded result counts the original, not the preview. */
function shownTokens(message: BaseMessage, { fold }: FoldedContent, tokenCounter: TokenCounter): number {
  return foldOf(message) === undefined ? fold.tokensBefore : tokenCounter([message]);
}

interface MaskResultOptions extends LaneOptions {
  readonly tokenCounter: TokenCounter;
  readonly newest: string | undefined;
}

/** Returns a tool result as one line with its path, or undefined when that saves less than half of its tokens. Pure. */
export function maskResult(
  message: BaseMessage,
  { tokenCounter, newest, lane }: MaskResultOptions,
): FoldedContent | undefined {
  if (!isToolResult(message)) return undefined;
  return foldContent(message, {
    kind: "mask",
    tokenCounter,
    // Replacing a short result by a pointer costs the model more than it frees.
    maxShare: 0.5,
    newest,
    lane,
    describe: ({ path }) => `[Result of an earlier step: ${path}]`,
  });
}
