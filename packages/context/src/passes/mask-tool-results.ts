import type { BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import { foldContent, rewriteOf, type FoldedContent } from "./fold-content.js";
import type { LaneOptions } from "../folds/archive-paths.js";
import { foldOf } from "../folds/fold.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { nativeStart } from "../messages/provider/native-compaction.js";
import { isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { defaults } from "../options.js";
import { quote } from "../quotations/quoted-text.js";
import { chooseFindings, findingsIn, formOf } from "../summary/lines/findings.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface MaskOptions extends LaneOptions {
  /** Number of newest steps with tool calls whose results stay. @default 10 (Complexity Trap, arXiv 2508.21433) */
  readonly keepSteps?: number;
  /** Tokens to free: masks the oldest results first, and stops there. @default all results before the newest steps */
  readonly freeTokens?: number;
  /**
   * Characters (UTF-16 units) of the lines that all masks together quote of their results: those that an extracted summary would
   * choose. A line that a newer one of the same form supersedes is not quoted. @default 0
   */
  readonly findingCharacters?: number;
  /** Messages that are never masked. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Replaces tool results before the newest steps by one line each, with the path of the archived file: all of them, or the
 * oldest until `freeTokens` are freed. With `findingCharacters`, lines of the result follow as quotations.
 *
 * Pure. Shortens an offloaded result to that line. A result stays if the line would not save half of its tokens, or if it
 * precedes a provider's compaction.
 */
export function maskToolResults(messages: readonly BaseMessage[], options: MaskOptions = {}): Rewrite {
  const { findingCharacters = 0, tokenCounter = estimateTokens, lane } = options;
  const mask = { tokenCounter, newest: messages.at(-1)?.id, lane };
  const folds = oldestMasked(messages, options, mask);
  if (folds.size === 0) return unchanged(messages);
  for (const [message, lines] of findingsOf(messages, folds, findingCharacters)) {
    const quoting = maskResult(message, { ...mask, lines });
    if (quoting !== undefined) folds.set(message, quoting);
  }
  return rewriteOf(
    messages.map((message) => folds.get(message)?.message ?? message),
    [...folds.values()],
  );
}

/** Returns the results to mask without quotations, by message, the oldest first. */
function oldestMasked(
  messages: readonly BaseMessage[],
  { keepSteps = defaults.maskKeepSteps, freeTokens = Infinity, pin }: MaskOptions,
  mask: MaskedAs,
): Map<BaseMessage, FoldedContent> {
  const steps = messages.flatMap((message, index) =>
    isAi(message) && toolCalls(message).length > 0 ? [index] : [],
  );
  const firstKept = keepSteps <= 0 ? messages.length : (steps.at(-keepSteps) ?? 0);
  const end = Math.min(firstKept, unseenStart(messages));
  const folds = new Map<BaseMessage, FoldedContent>();
  let freed = 0;
  for (let index = nativeStart(messages) + 1; index < end && freed < freeTokens; index++) {
    const message = messages[index] as BaseMessage;
    const folded = pin?.(message) ? undefined : maskResult(message, mask);
    if (folded === undefined) continue;
    folds.set(message, folded);
    freed += shownTokens(message, folded, mask.tokenCounter) - folded.fold.tokensAfter;
  }
  return folds;
}

/** Returns the lines to quote of the masked messages; none that stands or is superseded in the other messages. */
function findingsOf(
  messages: readonly BaseMessage[],
  masked: ReadonlyMap<BaseMessage, unknown>,
  characters: number,
): ReadonlyMap<BaseMessage, readonly string[]> {
  const quoted = new Map<BaseMessage, string[]>();
  if (characters <= 0) return quoted;
  const last = messages.findLastIndex((message) => masked.has(message));
  const found = findingsIn(messages);
  const visible = new Set(messages.slice(last + 1));
  const newer = new Set(found.flatMap(({ message, line }) => (visible.has(message) ? formOf(line) : [])));
  const own = found.filter(({ message, line }) => masked.has(message) && !newer.has(formOf(line)));
  for (const { message, line } of chooseFindings(own, characters)) {
    const lines = quoted.get(message) ?? [];
    quoted.set(message, lines);
    lines.push(line);
  }
  return quoted;
}

/** Returns the tokens that the context shows: the fold of an offloaded result counts the original, not the preview. */
function shownTokens(message: BaseMessage, { fold }: FoldedContent, tokenCounter: TokenCounter): number {
  return foldOf(message) === undefined ? fold.tokensBefore : tokenCounter([message]);
}

interface MaskedAs extends LaneOptions {
  readonly tokenCounter: TokenCounter;
  /** Id of the newest message. */
  readonly newest: string | undefined;
  /** Lines of the result to quote. @default none */
  readonly lines?: readonly string[];
}

/** Returns a tool result as its path and `lines`, or undefined when that saves less than half of its tokens. Pure. */
export function maskResult(
  message: BaseMessage,
  { tokenCounter, newest, lines = [], lane }: MaskedAs,
): FoldedContent | undefined {
  if (!isToolResult(message)) return undefined;
  return foldContent(message, {
    kind: "mask",
    tokenCounter,
    // Replacing a short result by a pointer costs the model more than it frees.
    maxShare: 0.5,
    newest,
    lane,
    describe: ({ path }) => [`[Result of an earlier step: ${path}]`, ...lines.map(quote)].join("\n"),
  });
}
