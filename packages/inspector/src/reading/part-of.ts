import type { BaseMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { hasReasoning, withoutReasoning } from "@palimpsest/context/internal";
import type { Part } from "../view.js";

/** What a message adds to a prompt, in tokens of the estimator. */
export interface PartTokens {
  readonly part: Part;
  readonly tokens: number;
  /** The share of `tokens` that is reasoning, which counts as a separate part. */
  readonly reasoning: number;
}

/** Messages of one thread are one object from checkpoint to checkpoint, so each is counted once. */
const counted = new WeakMap<BaseMessage, PartTokens>();

/** Returns the part of the prompt that a message belongs to, and its tokens. */
export function partOf(message: BaseMessage): PartTokens {
  const known = counted.get(message);
  if (known !== undefined) return known;
  const tokens = estimateTokens([message]);
  const reasoning = hasReasoning(message)
    ? Math.max(0, tokens - estimateTokens([withoutReasoning(message)]))
    : 0;
  const result = { part: kindOf(message), tokens, reasoning };
  counted.set(message, result);
  return result;
}

function kindOf(message: BaseMessage): Part {
  const kind = foldOf(message)?.kind;
  if (kind === "summary" || kind === "trim" || kind === "native") return "summaries";
  if (kind === "micro" || kind === "macro" || kind === "chunk") return "blocks";
  if (kind !== undefined && kind !== "reasoning" && kind !== "input") return "previews";
  const type = message.getType();
  if (type === "human") return "user";
  if (type === "tool" || type === "function") return "results";
  return type === "system" || type === "developer" ? "system" : "assistant";
}
