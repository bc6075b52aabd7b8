import { canonicalJson, type PrefixItem } from "../prefix-binding.js";

/** An item of the Responses API; fields beyond these are carried as they are. */
export interface Item {
  readonly type?: string;
  readonly [field: string]: unknown;
}

/** The body of `POST /v1/responses`, as far as the double looks at it. */
export interface ResponsesRequest {
  readonly model: string;
  readonly input: string | readonly Item[];
  readonly instructions?: string;
  readonly tools?: readonly unknown[];
  readonly text?: { readonly format?: unknown };
  readonly stream?: boolean;
  readonly context_management?: readonly { readonly type: string; readonly compact_threshold?: number }[];
}

export function itemsOf({ input }: ResponsesRequest): readonly Item[] {
  return typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
}

/** Returns an item as the server compares it: without ids and states, and with one form for a text. */
export function comparable(item: Item): unknown {
  const { id: _id, status: _status, type = "message", ...rest } = item;
  if (type !== "message") return { type, ...rest };
  const { content } = rest;
  const parts = typeof content === "string" ? [{ text: content }] : ((content ?? []) as readonly Item[]);
  const texts = parts.map((part) => (typeof part["text"] === "string" ? part["text"] : part));
  return { type, role: rest["role"] === "developer" ? "system" : rest["role"], content: texts };
}

/** True for the item that asks for a compaction in place of an answer. */
export function isTrigger(item: Item | undefined): boolean {
  return item?.type === "compaction_trigger";
}

/** Returns what the Responses API says of items that do not belong together, or undefined. */
export function itemsFault(items: readonly Item[]): string | undefined {
  const calls = new Set(items.filter(({ type }) => type === "function_call").map((item) => item["call_id"]));
  const outputs = new Set(
    items.filter(({ type }) => type === "function_call_output").map((item) => item["call_id"]),
  );
  for (const [index, item] of items.entries()) {
    const id = String(item["call_id"]);
    if (item.type === "function_call" && !outputs.has(id)) {
      return `No tool output found for function call ${id}.`;
    }
    if (item.type === "function_call_output" && !calls.has(id)) {
      return `No tool call found for function call output with call_id ${id}.`;
    }
    const next = items[index + 1];
    if (isTrigger(item) && next !== undefined) return "The compaction_trigger must be the final input item.";
    if (item.type === "reasoning" && (next === undefined || next.type === "function_call_output")) {
      return `Item '${String(item["id"])}' of type 'reasoning' was provided without its required following item.`;
    }
  }
  return undefined;
}

/** Returns the place of a reply that begins at an index. */
export function replyPlace(items: readonly Item[], index: number): readonly PrefixItem[] {
  const [before, item] = [items[index - 1], items[index]];
  if (item === undefined || !isOutput(item) || (before !== undefined && isOutput(before))) return [];
  const end = items.findIndex((other, at) => at > index && !isOutput(other));
  return [{ type: "place", id: replyId(items.slice(index, end < 0 ? undefined : end)) }];
}

/** True for what a model says: reasoning, text or a call. */
function isOutput({ type = "message", role }: Item): boolean {
  return type === "reasoning" || type === "function_call" || (type === "message" && role === "assistant");
}

/** Returns what names a reply in a history: its first call, or its text. */
export function replyId(items: readonly Item[]): string {
  const call = items.find(({ type }) => type === "function_call");
  if (call !== undefined) return String(call["call_id"]);
  return `text ${canonicalJson(items.filter(({ type }) => type === "message").map(comparable))}`;
}
