import type { BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import { foldContent, rewriteOf, type FoldedContent } from "./fold-content.js";
import type { LaneOptions } from "../folds/archive-paths.js";
import { foldOf } from "../folds/fold.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { nativeStart } from "../messages/provider/native-compaction.js";
import { headAndTail } from "./head-and-tail.js";
import { defaults } from "../options.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { mayExceed } from "../tokens/upper-bound.js";

export interface OffloadUserOptions extends LaneOptions {
  /** Maximum tokens of a user message: the window minus system prompt, tools and a reserve. */
  readonly maxTokens: number;
  /** Index of the first message to check. @default 0 */
  readonly start?: number;
  /** Messages that are never changed. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Offloads a user message that does not fit the window to the archive. Its beginning, its end and its rules stay.
 *
 * Pure. Never changes a user message of at most `maxTokens`, or one that precedes a compaction of the provider.
 */
export function offloadLargeUserMessages(
  messages: readonly BaseMessage[],
  { maxTokens, pin, lane, tokenCounter = estimateTokens, start: from = 0 }: OffloadUserOptions,
): Rewrite {
  const start = Math.max(from, nativeStart(messages) + 1);
  const folds: FoldedContent[] = [];
  const result = [...messages];
  for (const index of mayExceed(maxTokens, messages, tokenCounter)) {
    const message = messages[index];
    if (index < start || message?.getType() !== "human") continue;
    if (tokenCounter([message]) <= maxTokens || pin?.(message)) continue;
    const newest = index < unseenStart(messages) ? messages.at(-1)?.id : undefined;
    const folded = shortenUserMessage(message, { maxTokens, newest, tokenCounter, lane });
    if (folded === undefined) continue;
    folds.push(folded);
    result[index] = folded.message;
  }
  return folds.length === 0 ? unchanged(messages) : rewriteOf(result, folds);
}

interface ShortenOptions extends LaneOptions {
  readonly maxTokens: number;
  /** Id of the newest message of the context, if the model has seen the message. */
  readonly newest: string | undefined;
  readonly tokenCounter: TokenCounter;
}

/**
 * Shortens a user message to its beginning and its end, with the rules between them verbatim. Returns undefined for a
 * stand-in, and when that does not make the message smaller.
 *
 * Pure. The result has an eighth of `maxTokens`, at most 4,000 tokens.
 */
export function shortenUserMessage(
  message: BaseMessage,
  { maxTokens, newest, tokenCounter, lane }: ShortenOptions,
): FoldedContent | undefined {
  if (message.getType() !== "human" || foldOf(message) !== undefined) return undefined;
  const tokens = Math.max(0, Math.min(defaults.userPreviewTokens, maxTokens / 8));
  return foldContent(message, {
    kind: "offload",
    tokenCounter,
    newest,
    lane,
    describe: ({ text, path }) => headAndTail(text, { tokens, path, tokenCounter }),
  });
}
