import type { BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import { foldContent, rewriteOf, type FoldedContent } from "./fold-content.js";
import type { LaneOptions } from "../folds/archive-paths.js";
import { foldOf } from "../folds/fold.js";
import type { Rewrite } from "../folds/rewrite.js";
import { nativeStart } from "../messages/provider/native-compaction.js";
import { clipText, countLines, textKind } from "../messages/text.js";
import { isToolResult } from "../messages/tool-calls.js";
import { defaults } from "../options.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { mayExceed } from "../tokens/upper-bound.js";

export interface OffloadOptions extends LaneOptions {
  /** Index of the first message to check. @default 0 */
  readonly start?: number;
  /** Tokens; a larger result is offloaded. @default 20,000 */
  readonly offloadTokens?: number;
  /** Maximum total tokens of the results of one step; above it, the largest are offloaded. @default no limit */
  readonly batchTokens?: number | undefined;
  /** Tools whose results are already bounded and exempt from `offloadTokens`; `batchTokens` still applies. */
  readonly excludeTools?: readonly string[];
  /** Messages that are never changed. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** Lines of the preview. @default 10 */
  readonly previewLines?: number;
  /** Characters of a preview line. @default 200 */
  readonly previewLineLength?: number;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Offloads large tool results to the archive. The model sees path, size, kind and the first lines.
 *
 * Pure. Offloads each result over `offloadTokens`; then, while the unseen results of the newest step exceed
 * `batchTokens` in total, the largest of them. Changes nothing up to a compaction by the provider. All fields except the content stay (ids, name, status, artifact).
 */
export function offloadLargeToolResults(
  messages: readonly BaseMessage[],
  options: OffloadOptions = {},
): Rewrite {
  const { offloadTokens = defaults.offloadTokens, batchTokens = Infinity } = options;
  const start = Math.max(options.start ?? 0, nativeStart(messages) + 1);
  const { excludeTools = [], pin, tokenCounter = estimateTokens } = options;
  const result = [...messages];
  const folds: FoldedContent[] = [];
  const unseen = unseenStart(messages);
  /** Offloads one message and returns the freed tokens. */
  function offload(index: number): number {
    const message = result[index];
    const newest = index < unseen ? messages.at(-1)?.id : undefined;
    const folded = message && offloadContent(message, { ...options, newest });
    if (folded === undefined) return 0;
    result[index] = folded.message;
    folds.push(folded);
    return folded.fold.tokensBefore - folded.fold.tokensAfter;
  }
  const excluded = new Set(excludeTools);
  for (const index of mayExceed(offloadTokens, messages, tokenCounter)) {
    const message = messages[index];
    if (index < start || message === undefined || !isToolResult(message)) continue;
    if (excluded.has(message.name ?? "") || tokenCounter([message]) <= offloadTokens) continue;
    if (pin?.(message) !== true) offload(index);
  }
  const { indices, tokens } = batchOver(batchTokens, result.slice(Math.max(start, unseen)), tokenCounter);
  let left = tokens;
  for (const at of indices) {
    const index = Math.max(start, unseen) + at;
    if (left > batchTokens && pin?.(result[index] as BaseMessage) !== true) left -= offload(index);
  }
  return rewriteOf(result, folds);
}

export interface OffloadContentOptions extends OffloadOptions {
  /** Id of the newest message of the context, if the model has seen the content. */
  readonly newest?: string | undefined;
}

/** Offloads the content of a message of any type. Returns undefined when that does not make it smaller. */
export function offloadContent(
  message: BaseMessage,
  {
    previewLines,
    previewLineLength,
    newest,
    lane,
    tokenCounter = estimateTokens,
  }: OffloadContentOptions = {},
): FoldedContent | undefined {
  if (foldOf(message)) return undefined;
  const lines = previewLines ?? defaults.previewLines;
  const lineLength = previewLineLength ?? defaults.previewLineLength;
  const what = isToolResult(message) ? "Result" : "Message";
  return foldContent(message, {
    kind: "offload",
    tokenCounter,
    newest,
    lane,
    describe: ({ text, path }) =>
      [
        `[${what} offloaded: ${countLines(text)} lines, ${text.length} characters, ` +
          `about ${tokenCounter([message])} tokens, ${textKind(text)}]`,
        `Full text: ${path}`,
        preview(text, { previewLines: lines, previewLineLength: lineLength }),
      ].join("\n"),
  });
}

/** Returns the total tokens of the results among messages and, where that is over a limit, their indices, largest first. */
function batchOver(
  limit: number,
  messages: readonly BaseMessage[],
  tokenCounter: TokenCounter,
): { readonly indices: readonly number[]; readonly tokens: number } {
  const tokens = tokenCounter(messages.filter(isToolResult));
  // Hot path: the results of nearly every step fit.
  if (tokens <= limit) return { indices: [], tokens };
  const sized = messages.flatMap((message, index) =>
    isToolResult(message) ? [{ index, tokens: tokenCounter([message]) }] : [],
  );
  const largest = sized.toSorted((a, b) => b.tokens - a.tokens);
  return { indices: largest.map(({ index }) => index), tokens };
}

export interface PreviewOptions {
  /** @default defaults.previewLines */
  readonly previewLines: number;
  /** Maximum characters of a line. @default defaults.previewLineLength */
  readonly previewLineLength: number;
}

/** Returns the first lines of a text, with long lines clipped and notes on what is omitted. */
export function preview(text: string, { previewLines, previewLineLength }: PreviewOptions): string {
  const shown: string[] = [];
  let at = 0;
  while (shown.length < previewLines && at < text.length) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const line = clipText(text.slice(at, end), previewLineLength);
    const hidden = end - at - line.length;
    shown.push(hidden > 0 ? `${line} [line clipped: ${hidden} more characters]` : line);
    at = end + 1;
  }
  const more = at < text.length ? countLines(text.slice(at)) : 0;
  return [...shown, ...(more > 0 ? [`[${more} more lines in the file above]`] : [])].join("\n");
}
