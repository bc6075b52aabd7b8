import type { BaseMessage } from "@langchain/core/messages";
import { readMessages } from "../messages/provider/native-compaction.js";
import { contentBlocks, isMediaBlock } from "../messages/text.js";
import { isAi, isToolResult } from "../messages/tool-calls.js";
import { isOwn } from "../folds/fold.js";
import type { ContextMeasure } from "../tokens/measure-context.js";
import type { TokenCounter } from "../tokens/token-counter.js";

/** Why a part of a prompt cannot be shortened. */
export type OverflowReason =
  /** The parts of a prompt besides the messages: the system prompt and tool schemas. */
  | "overhead"
  /** System messages. */
  | "system"
  /** Pinned messages. */
  | "pinned"
  /** User messages. */
  | "user"
  /** Messages with images, audio or files. */
  | "media"
  /** Stand-ins of earlier summaries. */
  | "summary"
  /** AI messages: reasoning, and text and arguments too short to replace. */
  | "reply"
  /** Tool results that are too short to replace or already previews. */
  | "result";

/** A part of a prompt that does not fit. `tokens` are provider tokens. */
export interface OverflowPart {
  readonly reason: OverflowReason;
  readonly tokens: number;
  /** Ids of the messages, oldest first; empty for `overhead`. */
  readonly messages: readonly string[];
}

export interface OverflowPartsOptions {
  readonly measure: Pick<ContextMeasure, "overheadTokens" | "tokenRatio">;
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  readonly tokenCounter: TokenCounter;
}

/** Returns the parts of a prompt that cannot be shortened further, largest first. Pure. */
export function overflowParts(
  messages: readonly BaseMessage[],
  { measure: { overheadTokens, tokenRatio }, pin, tokenCounter }: OverflowPartsOptions,
): readonly OverflowPart[] {
  const parts = new Map<OverflowReason, { tokens: number; messages: string[] }>();
  for (const message of readMessages(messages)) {
    const reason = pin?.(message) === true ? "pinned" : reasonOf(message);
    const part = parts.get(reason) ?? { tokens: 0, messages: [] };
    part.tokens += tokenRatio * tokenCounter([message]);
    if (message.id !== undefined) part.messages.push(message.id);
    parts.set(reason, part);
  }
  const all: OverflowPart[] = [...parts].map(([reason, part]) => ({
    reason,
    ...part,
    tokens: Math.ceil(part.tokens),
  }));
  if (overheadTokens > 0) all.push({ reason: "overhead", tokens: overheadTokens, messages: [] });
  return all.toSorted((a, b) => b.tokens - a.tokens);
}

function reasonOf(message: BaseMessage): OverflowReason {
  if (message.getType() === "system") return "system";
  if (!isOwn(message)) return "summary";
  if (contentBlocks(message).some(isMediaBlock)) return "media";
  if (isToolResult(message)) return "result";
  return isAi(message) ? "reply" : "user";
}
