import type { BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import { foldContent, type FoldedContent } from "./fold-content.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { inlineText } from "../messages/text.js";
import {
  filePathOf,
  isFileRead,
  isFileWrite,
  isToolResult,
  toolCalls,
  type CallInfo,
} from "../messages/tool-calls.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface StaleOptions {
  /** Messages that are never replaced. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Replaces the result of a file read by a line when a later call wrote that file or read the same part again.
 *
 * Pure, O(messages). Only what the model has been shown is replaced, and only by calls that it has seen answered.
 */
export function dropStaleReads(
  messages: readonly BaseMessage[],
  { pin, tokenCounter = estimateTokens }: StaleOptions = {},
): Rewrite {
  const end = unseenStart(messages);
  const stale = staleReads(messages.slice(0, end));
  if (stale.size === 0) return unchanged(messages);
  const made: FoldedContent[] = [];
  const result = messages.map((message, index) => {
    const path = stale.get(index);
    if (path === undefined || pin?.(message)) return message;
    const folded = foldContent(message, {
      kind: "stale",
      tokenCounter,
      // A pointer in place of a few words costs the reader more than it frees.
      mostShare: 0.5,
      newest: messages.at(-1)?.id,
      describe: (file) =>
        `[Out of date: ${inlineText(path, 200)} was written or read again later. As read then: ${file.path}]`,
    });
    if (folded === undefined) return message;
    made.push(folded);
    return folded.message;
  });
  if (made.length === 0) return unchanged(messages);
  return { messages: result, writes: made.flatMap((one) => one.writes), folds: made.map((one) => one.fold) };
}

/** Returns index of result -> file path, for each read that a later call has made obsolete. */
function staleReads(messages: readonly BaseMessage[]): ReadonlyMap<number, string> {
  const calls = new Map<string, CallInfo>();
  // Path -> arguments -> index of the result that still shows the file as it is.
  const open = new Map<string, Map<string, number>>();
  const stale = new Map<number, string>();
  messages.forEach((message, index) => {
    for (const call of toolCalls(message)) if (call.id !== undefined) calls.set(call.id, call);
    if (!isToolResult(message) || message.status === "error") return;
    const call = calls.get(message.tool_call_id);
    const path = call && filePathOf(call);
    if (call === undefined || path === undefined) return;
    const reads = open.get(path) ?? new Map<string, number>();
    open.set(path, reads);
    if (isFileWrite(call)) {
      for (const read of reads.values()) stale.set(read, path);
      reads.clear();
      return;
    }
    const args = JSON.stringify(call.args);
    const same = reads.get(args);
    if (same !== undefined) stale.set(same, path);
    reads.delete(args);
    if (isFileRead(call)) reads.set(args, index);
  });
  return stale;
}
