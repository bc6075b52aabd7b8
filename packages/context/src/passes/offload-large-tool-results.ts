import type { BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import { foldContent, type FoldedContent } from "./fold-content.js";
import { foldOf } from "../folds/fold.js";
import type { Rewrite } from "../folds/rewrite.js";
import { countLines, textKind } from "../messages/text.js";
import { isToolResult } from "../messages/tool-calls.js";
import { defaults } from "../options.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface OffloadOptions {
  /** Index of the first message to look at. @default 0 */
  readonly start?: number;
  /** Tokens of a result over which it goes to the archive. @default 20,000 */
  readonly offloadTokens?: number;
  /** Tokens that the results of one step may have together; over it the largest go. @default no limit */
  readonly batchTokens?: number | undefined;
  /** Tools whose single results stay whole because they are bounded already; the batch limit still holds. */
  readonly excludeTools?: readonly string[];
  /** Lines of the preview. @default 10 */
  readonly previewLines?: number;
  /** Characters of a preview line. @default 200 */
  readonly previewLineLength?: number;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Moves tool results that are too large to the archive; the model sees path, size, kind and the first lines.
 *
 * Pure. A result is too large on its own, or together with the others of the same step, which the model has not
 * seen yet: then the largest go first. Everything but the content stays (ids, name, status, artifact).
 */
export function offloadLargeToolResults(
  messages: readonly BaseMessage[],
  options: OffloadOptions = {},
): Rewrite {
  const { offloadTokens = defaults.offloadTokens, batchTokens = Infinity, start = 0 } = options;
  const { excludeTools = [], tokenCounter = estimateTokens } = options;
  const result = [...messages];
  const made: FoldedContent[] = [];
  const unseen = unseenStart(messages);
  /** Returns the tokens that this frees. */
  function offload(index: number): number {
    const message = result[index];
    const newest = index < unseen ? messages.at(-1)?.id : undefined;
    const folded = message && offloadContent(message, { ...options, newest });
    if (folded === undefined) return 0;
    result[index] = folded.message;
    made.push(folded);
    return folded.fold.tokensBefore - folded.fold.tokensAfter;
  }
  const excluded = new Set(excludeTools);
  for (let index = start; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined || !isToolResult(message) || excluded.has(message.name ?? "")) continue;
    if (tokenCounter([message]) > offloadTokens) offload(index);
  }
  const { indices, tokens } = unseenResults(result, Math.max(start, unseen), tokenCounter);
  let left = tokens;
  for (const index of indices) if (left > batchTokens) left -= offload(index);
  return { messages: result, writes: made.flatMap((one) => one.writes), folds: made.map((one) => one.fold) };
}

export interface OffloadContentOptions extends OffloadOptions {
  /** Id of the newest message of the context, where the model has seen the content before. */
  readonly newest?: string | undefined;
}

/** Returns a message with its content offloaded, of whatever type; undefined when that makes it no smaller. */
export function offloadContent(
  message: BaseMessage,
  { previewLines, previewLineLength, newest, tokenCounter = estimateTokens }: OffloadContentOptions = {},
): FoldedContent | undefined {
  if (foldOf(message)) return undefined;
  const lines = previewLines ?? defaults.previewLines;
  const lineLength = previewLineLength ?? defaults.previewLineLength;
  const what = isToolResult(message) ? "Result" : "Message";
  return foldContent(message, {
    kind: "offload",
    tokenCounter,
    newest,
    describe: ({ text, path }) =>
      [
        `[${what} offloaded: ${countLines(text)} lines, ${text.length} characters, ` +
          `about ${tokenCounter([message])} tokens, ${textKind(text)}]`,
        `Full text: ${path}`,
        preview(text, { previewLines: lines, previewLineLength: lineLength }),
      ].join("\n"),
  });
}

/** Returns the indices of the unseen results, largest first, and their tokens together. */
function unseenResults(
  messages: readonly BaseMessage[],
  unseen: number,
  tokenCounter: TokenCounter,
): { readonly indices: readonly number[]; readonly tokens: number } {
  const sized = messages
    .slice(unseen)
    .map((message, index) => ({ message, index: unseen + index }))
    .filter(({ message }) => isToolResult(message))
    .map(({ message, index }) => ({ index, tokens: tokenCounter([message]) }))
    .toSorted((a, b) => b.tokens - a.tokens);
  return {
    indices: sized.map(({ index }) => index),
    tokens: sized.reduce((sum, one) => sum + one.tokens, 0),
  };
}

export interface PreviewOptions {
  /** @default defaults.previewLines */
  readonly previewLines: number;
  /** Characters. @default defaults.previewLineLength */
  readonly previewLineLength: number;
}

/** Returns the first lines of a text, long ones clipped, and says what was left out. Reads only the lines shown. */
export function preview(text: string, { previewLines, previewLineLength }: PreviewOptions): string {
  const shown: string[] = [];
  let at = 0;
  while (shown.length < previewLines && at < text.length) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const hidden = end - at - previewLineLength;
    const line = text.slice(at, Math.min(end, at + previewLineLength));
    shown.push(hidden > 0 ? `${line} [line clipped: ${hidden} more characters]` : line);
    at = end + 1;
  }
  const more = at < text.length ? countLines(text.slice(at)) : 0;
  return [...shown, ...(more > 0 ? [`[${more} more lines in the file above]`] : [])].join("\n");
}
