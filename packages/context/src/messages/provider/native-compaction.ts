import type { BaseMessage } from "@langchain/core/messages";
import { collectOnce } from "../../collect-once.js";
import { innerBlock, type Block } from "../text.js";
import { isAi } from "../tool-calls.js";

/** How a provider represents its own compaction in a LangChain message, and the rules for it. */
interface NativeForm {
  readonly provider: string;
  /** Type of the content block or output item. */
  readonly type: string;
  /** Field with the compacted content; a block without it replaces nothing. */
  readonly holds: string;
  /** True when `holds` is readable text. */
  readonly isReadable: boolean;
  /** Field of a block that must be the first of a request; reasoning after it stays valid. */
  readonly signature?: string;
}

/**
 * Rules of providers. All ignore what precedes the newest block. Anthropic puts an unsigned block into a reply at a
 * threshold, and returns a signed one on demand; OpenAI's item is opaque. Context editing leaves no block.
 */
const forms: readonly NativeForm[] = [
  {
    provider: "anthropic",
    type: "compaction",
    holds: "content",
    isReadable: true,
    signature: "signature",
  },
  { provider: "openai", type: "compaction", holds: "encrypted_content", isReadable: false },
];

const types: ReadonlySet<unknown> = new Set(forms.map(({ type }) => type));

/** True for a content block or output item that a provider put in place of earlier messages. */
export function isNativeBlock(block: Block): boolean {
  return formOf(innerBlock(block)) !== undefined;
}

/** Returns the readable text of a block of a provider's compaction; "" for an opaque one. */
export function nativeText(block: Block): string {
  const inner = innerBlock(block);
  return formOf(inner)?.isReadable === true ? heldBy(inner) : "";
}

/** Returns the compacted content of the blocks of a message, readable or encrypted. */
export function nativeTexts(message: BaseMessage): readonly string[] {
  return isNativeCompaction(message) ? nativeBlocks(message).map(heldBy) : [];
}

/** True for a message with a provider's compaction; the model does not read earlier messages. Hot path. */
export function isNativeCompaction(message: BaseMessage): boolean {
  if (!isAi(message)) return false;
  const { content, additional_kwargs: kwargs, response_metadata: metadata } = message;
  return holdsBlock(content) || holdsBlock(metadata?.["output"]) || holdsBlock(kwargs?.["tool_outputs"]);
}

/** Returns the blocks of a provider's compaction in a message, from every field, each once. */
export function nativeBlocks(message: BaseMessage): readonly Block[] {
  const found = placesOf(message).flatMap((place) => place.filter(isFilledBlock).map(innerBlock));
  return [...new Map(found.map((block) => [heldBy(block), block])).values()];
}

/** True for a message whose block must be the first of a request. Reasoning of the messages after it stays valid. */
export function isSignedCompaction(message: BaseMessage): boolean {
  return nativeBlocks(message).some((block) => {
    const signature = formOf(block)?.signature;
    return signature !== undefined && typeof block[signature] === "string";
  });
}

const nativeMessages = collectOnce((message) => isNativeCompaction(message) || undefined);

/** Returns the index of the newest message with a provider's compaction, or -1. */
export function nativeStart(messages: readonly BaseMessage[]): number {
  return nativeMessages(messages).at(-1)?.index ?? -1;
}

/** Returns the messages that the model reads: system messages, and all from the newest native compaction on. */
export function readMessages(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const start = nativeStart(messages);
  if (start <= 0) return messages;
  return messages.filter((message, index) => index >= start || message.getType() === "system");
}

/** Tokens of the calls in which a provider compacted, which it bills beside the usage of the reply. */
export interface NativeUsage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

/** Returns the usage of the compactions in a reply, from `usage.iterations`; undefined when none is reported. */
export function nativeUsage({ response_metadata: metadata }: BaseMessage): NativeUsage | undefined {
  const usage = metadata?.["usage"] as { readonly iterations?: unknown } | null | undefined;
  const iterations = Array.isArray(usage?.iterations) ? (usage.iterations as readonly (Block | null)[]) : [];
  const passes = iterations.filter((pass) => types.has(pass?.["type"]));
  if (passes.length === 0) return undefined;
  const sum = (fields: readonly string[]) =>
    passes.reduce(
      (total, pass) => total + fields.reduce((part, field) => part + numberOf(pass?.[field]), 0),
      0,
    );
  return {
    calls: passes.length,
    inputTokens: sum(["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]),
    cachedTokens: sum(["cache_read_input_tokens"]),
    outputTokens: sum(["output_tokens"]),
  };
}

/** Returns the tokens that context editing of the provider left out of the prompt of a reply; the history stays whole. */
export function clearedTokens({ response_metadata: metadata }: BaseMessage): number {
  const management = metadata?.["context_management"] as
    | { readonly applied_edits?: unknown }
    | null
    | undefined;
  const edits = management?.applied_edits;
  if (!Array.isArray(edits)) return 0;
  return (edits as readonly (Block | null)[]).reduce(
    (sum, edit) => sum + numberOf(edit?.["cleared_input_tokens"]),
    0,
  );
}

/** Returns the lists in which LangChain's packages keep a block: the content, the raw output and the outputs of tools. */
function placesOf(message: BaseMessage): readonly (readonly (Block | null)[])[] {
  const { content, additional_kwargs: kwargs, response_metadata: metadata } = message;
  const places: readonly unknown[] = [content, metadata?.["output"], kwargs?.["tool_outputs"]];
  return places.filter((place) => Array.isArray(place));
}

function holdsBlock(place: unknown): boolean {
  return Array.isArray(place) && (place as readonly (Block | null)[]).some(isFilledBlock);
}

function isFilledBlock(block: Block | null | undefined): block is Block {
  return typeof block === "object" && block !== null && isNativeBlock(block);
}

function formOf(block: Block): NativeForm | undefined {
  return forms.find(({ type, holds }) => block["type"] === type && isFilled(block[holds]));
}

function heldBy(block: Block): string {
  const form = formOf(block);
  return form === undefined ? "" : String(block[form.holds]);
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" && value > 0 && value < Infinity ? value : 0;
}
