import type { BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import type { FoldedContent } from "../folds/fold-content.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { defaults } from "../options.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { offloadContent, type OffloadOptions } from "./offload-large-tool-results.js";

export interface OffloadUserOptions extends OffloadOptions {
  /** Tokens over which one user message goes to the archive. @default 20,000, the budget of all folded user messages */
  readonly userTokens?: number;
}

/**
 * Moves a user message that alone is larger than the budget for the user's words to the archive, with a preview.
 *
 * Pure. A pasted log or document would otherwise leave no room for the work on it; all shorter messages stay.
 */
export function offloadLargeUserMessages(
  messages: readonly BaseMessage[],
  options: OffloadUserOptions = {},
): Rewrite {
  const { userTokens = defaults.userTokens, tokenCounter = estimateTokens, start = 0 } = options;
  const made: FoldedContent[] = [];
  const result = [...messages];
  for (let index = start; index < messages.length; index++) {
    const message = messages[index];
    if (message?.getType() !== "human" || tokenCounter([message]) <= userTokens) continue;
    const newest = index < unseenStart(messages) ? messages.at(-1)?.id : undefined;
    const folded = offloadContent(message, { ...options, newest });
    if (folded === undefined) continue;
    made.push(folded);
    result[index] = folded.message;
  }
  if (made.length === 0) return unchanged(messages);
  return { messages: result, writes: made.flatMap((one) => one.writes), folds: made.map((one) => one.fold) };
}
