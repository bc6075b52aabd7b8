import type { BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import { foldContent, type FoldedContent } from "./fold-content.js";
import { foldOf } from "../folds/fold.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { headAndTail } from "./head-and-tail.js";
import { defaults } from "../options.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface OffloadUserOptions {
  /** Tokens over which a user message cannot be sent: the window without system prompt, tools and a reserve. */
  readonly maxTokens: number;
  /** Index of the first message to look at. @default 0 */
  readonly start?: number;
  /** Messages that are never changed. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Moves a user message that alone does not fit the window to the archive; its beginning, its end and its rules stay.
 *
 * Pure. A user message of at most `maxTokens` is never changed.
 */
export function offloadLargeUserMessages(
  messages: readonly BaseMessage[],
  { maxTokens, pin, tokenCounter = estimateTokens, start = 0 }: OffloadUserOptions,
): Rewrite {
  const made: FoldedContent[] = [];
  const result = [...messages];
  for (let index = start; index < messages.length; index++) {
    const message = messages[index];
    if (message?.getType() !== "human" || tokenCounter([message]) <= maxTokens || pin?.(message)) continue;
    const newest = index < unseenStart(messages) ? messages.at(-1)?.id : undefined;
    const folded = shortenUserMessage(message, { maxTokens, newest, tokenCounter });
    if (folded === undefined) continue;
    made.push(folded);
    result[index] = folded.message;
  }
  if (made.length === 0) return unchanged(messages);
  return { messages: result, writes: made.flatMap((one) => one.writes), folds: made.map((one) => one.fold) };
}

interface ShortenOptions {
  readonly maxTokens: number;
  /** Id of the newest message of the context, where the model has seen the message before. */
  readonly newest: string | undefined;
  readonly tokenCounter: TokenCounter;
}

/**
 * Returns a user message as its beginning and its end, with the rules that stand between them word for word; undefined
 * for a stand-in, or where that makes it no smaller.
 *
 * Pure. It takes an eighth of `maxTokens`, at most 4,000 tokens.
 */
export function shortenUserMessage(
  message: BaseMessage,
  { maxTokens, newest, tokenCounter }: ShortenOptions,
): FoldedContent | undefined {
  if (message.getType() !== "human" || foldOf(message) !== undefined) return undefined;
  const tokens = Math.max(0, Math.min(defaults.userPreviewTokens, maxTokens / 8));
  return foldContent(message, {
    kind: "offload",
    tokenCounter,
    newest,
    describe: ({ text, path }) => headAndTail(text, { tokens, path, tokenCounter }),
  });
}
