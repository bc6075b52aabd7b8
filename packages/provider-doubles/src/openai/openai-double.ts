import { providerServer, type ProviderRequest, type ProviderResponse } from "../http-server.js";
import {
  canonicalJson,
  digest,
  PrefixBinding,
  wireTokens,
  type CheckedPrefix,
  type InvalidReasoning,
  type PrefixItem,
} from "../prefix-binding.js";
import type { ScriptedReply } from "../scripted-reply.js";
import {
  comparable,
  isTrigger,
  itemsFault,
  itemsOf,
  replyId,
  replyPlace,
  type Item,
  type ResponsesRequest,
} from "./items.js";
import { chainOf, compaction, compactionOf } from "./compactions.js";
import { responseStream, type ResponseBody } from "./response-stream.js";

export interface OpenAIDoubleOptions {
  readonly reply: (request: ResponsesRequest, call: number) => ScriptedReply;
  /** Tokens (four characters each) above which a prompt is refused. @default Infinity */
  readonly contextWindow?: number;
  /** Answers such a prompt without output, as incomplete at a length, instead of with an error. @default false */
  readonly overflowAsStopReason?: boolean;
}

/** One request and what became of it. */
export interface OpenAICall {
  readonly request: ResponsesRequest;
  readonly status: number;
  readonly error?: string;
  /** Reasoning items in the request, and those that the server dropped without an error. */
  readonly reasoning: number;
  readonly invalid: readonly InvalidReasoning[];
  /** Replies in the request that reasoned, and whose reasoning would be valid in it, sent or not. */
  readonly keepable: number;
  /** Tokens of the prompt, and those of it that an earlier request had at its beginning. */
  readonly inputTokens: number;
  readonly cachedTokens: number;
}

export interface OpenAIDouble {
  /** For the client's `configuration.baseURL`. */
  readonly url: string;
  readonly calls: readonly OpenAICall[];
  readonly close: () => Promise<void>;
}

/**
 * Starts a server that speaks `POST /v1/responses`, whole and streaming, and enforces the published rules: calls with their
 * outputs, reasoning with what follows it, and reasoning dropped, and reported, once something before it has changed. A
 * request that ends with a `compaction_trigger` is answered with a compaction item alone; an item of another server is refused.
 */
export async function openAIDouble(options: OpenAIDoubleOptions): Promise<OpenAIDouble> {
  const api = new ResponsesApi(options);
  const { url, close } = await providerServer<ResponsesRequest>((request) => api.answer(request));
  return { url: `${url}/v1`, close, calls: api.calls };
}

class ResponsesApi {
  readonly calls: OpenAICall[] = [];
  readonly #options: OpenAIDoubleOptions;
  readonly #binding = new PrefixBinding();
  readonly #prefixes = new Set<string>();
  /** Chains of the compactions that the server has made. */
  readonly #compacted = new Set<string>();
  /** What names a reply -> what stood before it. */
  readonly #thoughtBehind = new Map<string, string>();

  constructor(options: OpenAIDoubleOptions) {
    this.#options = options;
  }

  answer({ body }: ProviderRequest<ResponsesRequest>): ProviderResponse {
    const { model, instructions = "", tools = [], text } = body;
    const items = behindCompaction(itemsOf(body));
    const base = [instructions, tools, text?.format ?? null];
    const checked = this.#binding.check(prefixItems(items), { model, base });
    const inputTokens = wireTokens([base, items]);
    const cachedTokens = this.#cached(base, items);
    const { reasoning, invalid } = checked;
    const keepable = [...checked.places].filter(([id, chain]) => {
      return this.#thoughtBehind.get(id) === `${checked.base} ${chain}`;
    }).length;
    const call = { request: body, reasoning, invalid, keepable, inputTokens, cachedTokens };
    const { contextWindow = Infinity, overflowAsStopReason = false } = this.#options;
    if (inputTokens > contextWindow && !overflowAsStopReason) {
      const message = `Your input exceeds the context window of this model (${inputTokens} > ${contextWindow} tokens).`;
      return this.#refuse(call, { message, code: "context_length_exceeded" });
    }
    const foreign = items.find((item) => item.type === "compaction" && !this.#compacted.has(chainOf(item)));
    const fault = foreign === undefined ? itemsFault(items) : "The compaction item could not be decrypted.";
    if (fault !== undefined) return this.#refuse(call, { message: fault, code: "invalid_value" });
    this.calls.push({ ...call, status: 200 });
    const response = this.#response(body, checked, { inputTokens, cachedTokens });
    return body.stream === true ? { events: responseStream(response) } : { status: 200, body: response };
  }

  #refuse(call: Omit<OpenAICall, "status">, error: { readonly message: string; readonly code: string }) {
    this.calls.push({ ...call, status: 400, error: error.message });
    return { status: 400, body: { error: { type: "invalid_request_error", param: "input", ...error } } };
  }

  /** Tokens of the longest beginning that an earlier request had; remembers this one's beginnings. */
  #cached(base: unknown, items: readonly Item[]): number {
    let key = digest(canonicalJson(base));
    let tokens = wireTokens(base);
    let cached = this.#prefixes.has(key) ? tokens : 0;
    this.#prefixes.add(key);
    for (const item of items) {
      key = digest(key + canonicalJson(comparable(item)));
      tokens += wireTokens(item);
      if (this.#prefixes.has(key)) cached = tokens;
      this.#prefixes.add(key);
    }
    return cached;
  }

  #response(
    request: ResponsesRequest,
    checked: CheckedPrefix,
    tokens: { readonly inputTokens: number; readonly cachedTokens: number },
  ): ResponseBody {
    const number = this.calls.length;
    const isAsked = isTrigger(itemsOf(request).at(-1));
    const compacted = isAsked ? compaction(request) : compactionOf(request, tokens.inputTokens);
    if (compacted !== undefined) this.#compacted.add(chainOf(compacted));
    const bound =
      compacted === undefined ? checked : { ...checked, chain: chainOf(compacted), newest: undefined };
    const isFull = tokens.inputTokens > (this.#options.contextWindow ?? Infinity);
    const scripted = isFull || isAsked ? {} : this.#options.reply(request, number);
    const outputTokens = isFull ? 0 : 10;
    const dropped = checked.invalid.map((block) => ({
      type: "reasoning_dropped",
      ...block,
      reason: "prefix_mismatch",
    }));
    return {
      id: `resp_${number}`,
      object: "response",
      created_at: 1,
      status: isFull ? "incomplete" : "completed",
      model: request.model,
      error: null,
      incomplete_details: isFull ? { reason: "max_output_tokens" } : null,
      instructions: request.instructions ?? null,
      metadata: {},
      tools: [],
      text: { format: { type: "text" } },
      output: [
        ...(compacted === undefined ? [] : [compacted]),
        ...this.#output(scripted, bound, request.model),
      ],
      ...(dropped.length > 0 ? { input_transformations: dropped } : {}),
      usage: {
        input_tokens: tokens.inputTokens,
        input_tokens_details: { cached_tokens: tokens.cachedTokens },
        output_tokens: outputTokens,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: tokens.inputTokens + outputTokens,
      },
    };
  }

  #output(
    { thinking, text, calls = [] }: ScriptedReply,
    { base, chain, newest }: CheckedPrefix,
    model: string,
  ): readonly Item[] {
    const number = this.calls.length;
    const signature = this.#binding.sign({ base, chain, previous: newest, model });
    const summary = [{ type: "summary_text", text: thinking }];
    const reasoning = { id: `rs_${number}`, type: "reasoning", summary, encrypted_content: signature };
    const content = [{ type: "output_text", text, annotations: [] }];
    const said: readonly Item[] = [
      ...(text === undefined
        ? []
        : [{ id: `msg_${number}`, type: "message", role: "assistant", status: "completed", content }]),
      ...calls.map(({ name, args }, index) => ({
        id: `fc_${number}_${index}`,
        type: "function_call",
        status: "completed",
        call_id: `call_${number}_${index}`,
        name,
        arguments: JSON.stringify(args),
      })),
    ];
    if (thinking === undefined) return said;
    this.#thoughtBehind.set(replyId(said), `${base} ${chain}`);
    return [reasoning, ...said];
  }
}

/** Items before the newest compaction item do not count, sent or not. */
function behindCompaction(items: readonly Item[]): readonly Item[] {
  return items.slice(
    Math.max(
      0,
      items.findLastIndex(({ type }) => type === "compaction"),
    ),
  );
}

function prefixItems(items: readonly Item[]): readonly PrefixItem[] {
  return items.flatMap((item, index): readonly PrefixItem[] => [
    ...replyPlace(items, index),
    prefixItem(item, index),
  ]);
}

function prefixItem(item: Item, index: number): PrefixItem {
  if (item.type === "compaction") return { type: "compaction", chain: chainOf(item) };
  if (item.type !== "reasoning") return { type: "content", value: comparable(item) };
  const signature = item["encrypted_content"];
  return {
    type: "reasoning",
    path: `input[${index}]`,
    signature: typeof signature === "string" ? signature : undefined,
  };
}
