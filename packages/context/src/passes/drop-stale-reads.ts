import type { BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import type { LaneOptions } from "../folds/archive-paths.js";
import { foldContent, rewriteOf, type FoldedContent } from "./fold-content.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { nativeStart } from "../messages/provider/native-compaction.js";
import { inlineText } from "../messages/text.js";
import {
  filePathOf,
  isFileRead,
  isFileWrite,
  isToolResult,
  replacesFile,
  toolCalls,
  type CallInfo,
} from "../messages/tool-calls.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface StaleOptions extends LaneOptions {
  /** Messages that are never replaced. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Replaces the result of a file read by one line when a later call wrote the whole file or read the same part again. A read
 * stays after an edit of a part: its other lines are still correct, and the next edit often repeats one of them.
 *
 * Pure, O(messages). Considers only messages that the model has seen, both for the reads and for the later calls. Changes
 * nothing up to a compaction of the provider.
 */
export function dropStaleReads(
  messages: readonly BaseMessage[],
  { pin, lane, tokenCounter = estimateTokens }: StaleOptions = {},
): Rewrite {
  const end = unseenStart(messages);
  const stale = staleReads(messages.slice(0, end));
  if (stale.size === 0) return unchanged(messages);
  const folds: FoldedContent[] = [];
  const start = nativeStart(messages) + 1;
  const result = messages.map((message, index) => {
    const path = stale.get(index);
    if (path === undefined || index < start || pin?.(message)) return message;
    const folded = foldContent(message, {
      kind: "stale",
      tokenCounter,
      // Replacing a short result by a pointer costs the model more than it frees.
      maxShare: 0.5,
      newest: messages.at(-1)?.id,
      lane,
      describe: (file) =>
        `[Out of date: ${inlineText(path, 200)} was written or read again later. As read then: ${file.path}]`,
    });
    if (folded === undefined) return message;
    folds.push(folded);
    return folded.message;
  });
  return folds.length === 0 ? unchanged(messages) : rewriteOf(result, folds);
}

/** Returns a map from result index to file path for each read that a later call makes obsolete. */
function staleReads(messages: readonly BaseMessage[]): ReadonlyMap<number, string> {
  const calls = new Map<string, CallInfo>();
  // Path -> arguments -> index of the result that shows the current content of the file.
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
      if (!replacesFile(call)) return;
      for (const read of reads.values()) stale.set(read, path);
      reads.clear();
      return;
    }
    const args = JSON.stringify(call.args);
    const earlier = reads.get(args);
    if (earlier !== undefined) stale.set(earlier, path);
    reads.delete(args);
    if (isFileRead(call)) reads.set(args, index);
  });
  return stale;
}
