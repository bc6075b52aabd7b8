import { wireTokens } from "../prefix-binding.js";

/** A content block of the Messages API; fields beyond these are carried as they are. */
export interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface WireMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: string | readonly Block[];
}

export interface ContextEdit {
  readonly type: string;
  readonly trigger?: { readonly type: string; readonly value: number };
  readonly pause_after_compaction?: boolean;
}

/** The body of `POST /v1/messages`, as far as the double looks at it. */
export interface MessagesRequest {
  readonly model: string;
  readonly system?: string | readonly Block[];
  readonly tools?: readonly { readonly name: string; readonly defer_loading?: boolean }[];
  readonly messages: readonly WireMessage[];
  readonly stream?: boolean;
  readonly thinking?: {
    readonly type: string;
    readonly block_binding?: { readonly prefix_mismatch_behavior?: "error" | "drop_block" };
  };
  /** Sets a cache breakpoint on the last block. */
  readonly cache_control?: unknown;
  readonly diagnostics?: { readonly previous_message_id?: string | null };
  readonly compaction?: { readonly type: string };
  readonly context_management?: { readonly edits?: readonly ContextEdit[] };
}

/** A turn: neighbors of one role are one turn to the server. `paths` names each block as error messages do. */
export interface Turn {
  readonly role: WireMessage["role"];
  readonly blocks: readonly Block[];
  readonly paths: readonly string[];
}

/** Returns the turns of a request, with strings as text blocks. */
export function turnsOf(messages: readonly WireMessage[]): readonly Turn[] {
  const turns: { role: Turn["role"]; blocks: Block[]; paths: string[] }[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const last = turns.at(-1);
    const turn = last?.role === role ? last : { role, blocks: [], paths: [] };
    if (turn !== last) turns.push(turn);
    for (const [at, block] of blocksOf(content).entries()) {
      turn.blocks.push(block);
      turn.paths.push(`messages.${index}.content.${at}`);
    }
  }
  return turns;
}

export function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

export function isThinking({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Returns the signature of a thinking block, wherever its kind carries it. */
export function signatureOf(block: Block): string | undefined {
  const field = block.type === "thinking" ? block["signature"] : block["data"];
  return typeof field === "string" ? field : undefined;
}

/** True for a compaction block that stands for something; the server ignores the others. */
export function isCompaction({ type, content }: Block): boolean {
  return type === "compaction" && typeof content === "string";
}

/** Tokens after the newest compaction block: what the model reads. */
export function promptTokens({ system = "", tools = [], messages }: MessagesRequest): number {
  const blocks = turnsOf(messages).flatMap((turn) => turn.blocks);
  const start = Math.max(0, blocks.findLastIndex(isCompaction));
  return wireTokens([system, tools, blocks.slice(start)]);
}

/** What binds thinking before all messages: tools that are deferred count once something refers to them, never here. */
export function baseOf({ system = "", tools = [] }: MessagesRequest): unknown {
  return [system, tools.filter(({ defer_loading: isDeferred }) => isDeferred !== true)];
}

/** A tool result is the same whether its content is a string or one text block. */
export function normalized(block: Block): Block {
  const { content } = block;
  return block.type === "tool_result" && typeof content === "string"
    ? { ...block, content: [{ type: "text", text: content }] }
    : block;
}

const bindingBeta = "thinking-binding-controls-2026-08-01";

export function isDropping(request: MessagesRequest, betas: string): boolean {
  const behavior = request.thinking?.block_binding?.prefix_mismatch_behavior;
  return behavior === "drop_block" && betas.includes(bindingBeta);
}

export function editOf({ context_management: management }: MessagesRequest) {
  return management?.edits?.find(({ type }) => type === "compact_20260112");
}

export function summaryOf({ messages }: MessagesRequest): string {
  return `Summary of ${messages.length} messages.`;
}

/** Returns what names a reply in a history: its first call, or its text. */
export function replyId(blocks: readonly Block[]): string {
  const called = blocks.find(({ type }) => type === "tool_use");
  if (called !== undefined) return String(called["id"]);
  return `text ${blocks.flatMap(({ type, text }) => (type === "text" ? [text] : [])).join("\n")}`;
}
