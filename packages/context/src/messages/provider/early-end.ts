import type { BaseMessage } from "@langchain/core/messages";
import { promptTokens, usageOf } from "./reported-usage.js";
import { contentBlocks } from "../text.js";
import { isReasoningBlock } from "./reasoning.js";
import { isAi, toolCalls } from "../tool-calls.js";

/** Why an answer ended early, if that needs another call. */
export type EarlyEnd =
  /** The answer was cut at the context window, or is empty because the prompt left no room for one. */
  | "window-exceeded"
  /** The provider has compacted the context itself and waits for the next call. */
  | "provider-compacted";

/** Stop reasons of providers. Anthropic, Bedrock and z.ai name the window; Mistral says `model_length`. */
const windowReasons: ReadonlySet<unknown> = new Set(["model_context_window_exceeded", "model_length"]);
const pauseReasons: ReadonlySet<unknown> = new Set(["compaction"]);
/** Stop reasons for the limit of output tokens. Most providers also use them for a full window. */
const lengthReasons: ReadonlySet<unknown> = new Set([
  "length",
  "max_tokens",
  "max_output_tokens",
  "MAX_TOKENS",
]);

/** Fields in which clients put the stop reason: `additional_kwargs` when streaming from Anthropic. */
const reasonFields = ["stop_reason", "stopReason", "finish_reason", "finishReason", "done_reason"];

/** Maximum output tokens of an empty answer that had no room: servers that truncate the prompt leave room for one or a few. */
const noRoomTokens = 16;
/** Share of the window above which an empty answer with reasoning ended at the window and not at the host's limit. */
const fullShare = 0.95;

/**
 * Returns why an answer ended early, or undefined for every other message.
 *
 * An answer with content that ended at a length limit ended at the host's own limit, and so did an empty answer whose reasoning
 * used up the limit while the window had room. Pure.
 */
export function earlyEnd(message: BaseMessage, contextWindow = Infinity): EarlyEnd | undefined {
  if (!isAi(message)) return undefined;
  const reasons = stopReasons(message);
  if (reasons.some((reason) => windowReasons.has(reason))) return "window-exceeded";
  if (reasons.some((reason) => pauseReasons.has(reason))) return "provider-compacted";
  const isEmptyAtLength = reasons.some((reason) => lengthReasons.has(reason)) && isEmptyAnswer(message);
  if (!isEmptyAtLength) return undefined;
  const usage = usageOf(message);
  const output = usage?.output_tokens ?? 0;
  const hadRoom = output > noRoomTokens && promptTokens(usage) + output < fullShare * contextWindow;
  return hadRoom ? undefined : "window-exceeded";
}

/** True for an answer without text, calls, media or any other content than reasoning. */
export function isEmptyAnswer(message: BaseMessage): boolean {
  return toolCalls(message).length === 0 && contentBlocks(message).every(isNothing);
}

function isNothing(block: Readonly<Record<string, unknown>>): boolean {
  if (isReasoningBlock(block)) return true;
  const { type, text } = block;
  return type === "text" && (typeof text !== "string" || text.trim() === "");
}

/** Returns the stop reasons that a message carries, as its provider spells them. */
export function stopReasons({ response_metadata: metadata, additional_kwargs: kwargs }: BaseMessage) {
  const reasons: string[] = [];
  for (const fields of [metadata, kwargs]) {
    for (const field of reasonFields) {
      const reason: unknown = fields?.[field];
      if (typeof reason === "string") reasons.push(reason);
    }
  }
  const details = metadata?.["incomplete_details"] as { readonly reason?: unknown } | null | undefined;
  if (typeof details?.reason === "string") reasons.push(details.reason);
  return reasons;
}
