import type { BaseMessage } from "@langchain/core/messages";
import { contentBlocks, isMediaBlock } from "../messages/text.js";
import { isAi, isToolResult } from "../messages/tool-calls.js";
import { isSummary } from "../folds/fold.js";
import type { ContextMeasure } from "../tokens/measure-context.js";
import type { TokenCounter } from "../tokens/token-counter.js";

/** Why a part of a prompt cannot be made smaller. */
export type OverflowCause =
  /** What the host sends beside the messages: a system prompt, tool schemas. */
  | "overhead"
  /** System messages. */
  | "system"
  /** Messages that are pinned. */
  | "pinned"
  /** Messages of the user. */
  | "user"
  /** Pictures, sounds and files among the contents. */
  | "media"
  /** Stand-ins of earlier summaries. */
  | "summary"
  /** Replies of the model: reasoning, and text and arguments too short to replace. */
  | "reply"
  /** Tool results too short to replace, or shown as previews already. */
  | "result";

/** A part of a prompt that does not fit, in tokens of the provider. */
export interface OverflowPart {
  readonly cause: OverflowCause;
  readonly tokens: number;
  /** Ids of its messages, oldest first; empty for `overhead`. */
  readonly messages: readonly string[];
}

export interface OverflowPartsOptions {
  readonly measure: Pick<ContextMeasure, "overheadTokens" | "tokenRatio">;
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  readonly tokenCounter: TokenCounter;
}

/** Returns what a prompt that cannot be shortened any more consists of, the largest part first. Pure. */
export function overflowParts(
  messages: readonly BaseMessage[],
  { measure: { overheadTokens, tokenRatio }, pin, tokenCounter }: OverflowPartsOptions,
): readonly OverflowPart[] {
  const parts = new Map<OverflowCause, { tokens: number; messages: string[] }>();
  for (const message of messages) {
    const cause = pin?.(message) === true ? "pinned" : causeOf(message);
    const part = parts.get(cause) ?? { tokens: 0, messages: [] };
    part.tokens += tokenRatio * tokenCounter([message]);
    if (message.id !== undefined) part.messages.push(message.id);
    parts.set(cause, part);
  }
  const all: OverflowPart[] = [...parts].map(([cause, part]) => ({
    cause,
    ...part,
    tokens: Math.ceil(part.tokens),
  }));
  if (overheadTokens > 0) all.push({ cause: "overhead", tokens: overheadTokens, messages: [] });
  return all.toSorted((a, b) => b.tokens - a.tokens);
}

function causeOf(message: BaseMessage): OverflowCause {
  if (message.getType() === "system") return "system";
  if (isSummary(message)) return "summary";
  if (contentBlocks(message).some(isMediaBlock)) return "media";
  if (isToolResult(message)) return "result";
  return isAi(message) ? "reply" : "user";
}
