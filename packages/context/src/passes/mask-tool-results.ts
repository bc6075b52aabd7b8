import type { BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import { foldContent, type FoldedContent } from "./fold-content.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { defaults } from "../options.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface MaskOptions {
  /** Newest calling steps whose results stay. @default 10 (Complexity Trap, arXiv 2508.21433) */
  readonly keepSteps?: number;
  /** Messages that are never masked. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Replaces the tool results of all but the newest steps by a line each that names the archived file.
 *
 * Pure. An offloaded result is shortened to its line; results that are shorter than the line stay.
 */
export function maskToolResults(messages: readonly BaseMessage[], options: MaskOptions = {}): Rewrite {
  const { keepSteps = defaults.maskKeepSteps, pin, tokenCounter = estimateTokens } = options;
  const steps = messages.flatMap((message, index) =>
    isAi(message) && toolCalls(message).length > 0 ? [index] : [],
  );
  const firstKept = keepSteps <= 0 ? messages.length : (steps.at(-keepSteps) ?? 0);
  const end = Math.min(firstKept, unseenStart(messages));
  const made: FoldedContent[] = [];
  const result = messages.map((message, index) => {
    if (index >= end || pin?.(message)) return message;
    const folded = maskResult(message, { tokenCounter, newest: messages.at(-1)?.id });
    if (folded === undefined) return message;
    made.push(folded);
    return folded.message;
  });
  if (made.length === 0) return unchanged(messages);
  return { messages: result, writes: made.flatMap((one) => one.writes), folds: made.map((one) => one.fold) };
}

/** Returns a tool result as one line with its path; undefined when that saves less than half of it. Pure. */
export function maskResult(
  message: BaseMessage,
  { tokenCounter, newest }: { readonly tokenCounter: TokenCounter; readonly newest: string | undefined },
): FoldedContent | undefined {
  if (!isToolResult(message)) return undefined;
  return foldContent(message, {
    kind: "mask",
    tokenCounter,
    // A pointer in place of a few words costs the reader more than it frees.
    mostShare: 0.5,
    newest,
    describe: ({ path }) => `[Result of an earlier step: ${path}]`,
  });
}
