import type { IncomingHttpHeaders } from "node:http";
import { providerServer, type ProviderRequest, type ProviderResponse } from "../http-server.js";
import {
  PrefixBinding,
  type CheckedPrefix,
  type InvalidReasoning,
  type PrefixItem,
} from "../prefix-binding.js";
import type { ScriptedReply } from "../scripted-reply.js";
import { CacheDiagnostics } from "./cache-diagnostics.js";
import { Compactions } from "./compactions.js";
import { messageStream, type Reply } from "./message-stream.js";
import { PromptCache, type CacheUsage } from "./prompt-cache.js";
import { requestFault } from "./request-rules.js";
import {
  baseOf,
  editOf,
  isDropping,
  isThinking,
  normalized,
  promptTokens,
  signatureOf,
  summaryOf,
  turnsOf,
  type Block,
  type MessagesRequest,
  replyId,
} from "./wire.js";

const onDemandBeta = "compact-2026-09-04";
const thresholdBeta = "compact-2026-01-12";

export interface AnthropicDoubleOptions {
  readonly reply: (request: MessagesRequest, call: number) => ScriptedReply;
  /** Tokens (four characters each) above which a prompt is refused as too long. @default Infinity */
  readonly contextWindow?: number;
  /** What happens to a call with invalid thinking; a request that asks for `drop_block` gets that. @default "refuse" */
  readonly onInvalidThinking?: "refuse" | "drop";
  /** Names the window by a stop reason instead of an error. @default false */
  readonly overflowAsStopReason?: boolean;
}

/** One request and what became of it. */
export interface AnthropicCall {
  readonly request: MessagesRequest;
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
  readonly error?: string;
  /** Reasoning blocks in the request, and those that were invalid: refused with the call, or dropped from it. */
  readonly reasoning: number;
  readonly invalid: readonly InvalidReasoning[];
  /** Replies in the request that thought, and whose thinking would be valid in it, sent or not. */
  readonly keepable: number;
  readonly usage?: CacheUsage;
}

export interface AnthropicDouble {
  /** For the client's `anthropicApiUrl`. */
  readonly url: string;
  readonly calls: readonly AnthropicCall[];
  readonly close: () => Promise<void>;
}

/**
 * Starts a server that speaks `POST /v1/messages`, whole and streaming, and enforces the published rules: pairing, order,
 * empty content, cache breakpoints, thinking bound to its prefix, compaction blocks.
 *
 * Invalid thinking is a 400, or is dropped and reported in `input_transformations` where the request asks for that.
 */
export async function anthropicDouble(options: AnthropicDoubleOptions): Promise<AnthropicDouble> {
  const api = new MessagesApi(options);
  const server = await providerServer<MessagesRequest>((request) => api.answer(request));
  return { ...server, calls: api.calls };
}

class MessagesApi {
  readonly calls: AnthropicCall[] = [];
  readonly #options: AnthropicDoubleOptions;
  readonly #binding = new PrefixBinding();
  readonly #compactions = new Compactions();
  readonly #cache = new PromptCache();
  readonly #diagnostics = new CacheDiagnostics();
  /** What names a reply -> what stood before it. */
  readonly #thoughtBehind = new Map<string, string>();

  constructor(options: AnthropicDoubleOptions) {
    this.#options = options;
  }

  answer({ body, headers }: ProviderRequest<MessagesRequest>): ProviderResponse {
    const checked = this.#binding.check(this.#itemsOf(body), { model: body.model, base: baseOf(body) });
    const keepable = [...checked.places].filter(([id, chain]) => {
      return this.#thoughtBehind.get(id) === `${checked.base} ${chain}`;
    }).length;
    const { reasoning, invalid } = checked;
    const call = { request: body, headers, reasoning, invalid, keepable };
    const fault = this.#faultOf(body, headers, checked);
    if (fault !== undefined) {
      this.calls.push({ ...call, status: 400, error: fault });
      return {
        status: 400,
        body: { type: "error", error: { type: "invalid_request_error", message: fault } },
      };
    }
    const usage = this.#cache.use(body);
    this.calls.push({ ...call, status: 200, usage });
    const reply = this.#reply(body, checked, usage);
    if (body.stream === true) return { events: messageStream(reply) };
    return { status: 200, body: { ...reply, type: "message", role: "assistant", stop_sequence: null } };
  }

  #faultOf(
    request: MessagesRequest,
    headers: IncomingHttpHeaders,
    checked: CheckedPrefix,
  ): string | undefined {
    const betas = String(headers["anthropic-beta"] ?? "");
    if (request.compaction !== undefined && !betas.includes(onDemandBeta)) {
      return `compaction: Extra inputs are not permitted (the beta ${onDemandBeta} is not set)`;
    }
    if (editOf(request) !== undefined && !betas.includes(thresholdBeta)) {
      return `context_management: Extra inputs are not permitted (the beta ${thresholdBeta} is not set)`;
    }
    const formFault = requestFault(request) ?? this.#compactions.fault(request);
    if (formFault !== undefined) return formFault;
    const tokens = promptTokens(request);
    const { contextWindow = Infinity, overflowAsStopReason } = this.#options;
    if (tokens > contextWindow && overflowAsStopReason !== true) {
      return `prompt is too long: ${tokens} tokens > ${contextWindow} maximum`;
    }
    const bad = checked.invalid.find(({ reason }) => reason === "prefix_binding_mismatch");
    const drops = this.#options.onInvalidThinking === "drop" || isDropping(request, betas);
    if (bad === undefined || drops) return undefined;
    return `${bad.path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`;
  }

  /** The blocks of a request after the newest compaction. */
  #itemsOf(request: MessagesRequest): readonly PrefixItem[] {
    const items: PrefixItem[] = [];
    const resumed = this.#compactions.newest(request);
    if (resumed !== undefined) items.push({ type: "compaction", chain: resumed.chain });
    for (const [index, { role, blocks, paths }] of turnsOf(request.messages).entries()) {
      if (role === "assistant") items.push({ type: "place", id: replyId(blocks) });
      for (const [at, block] of blocks.entries()) {
        const isCovered =
          resumed !== undefined && (index < resumed.turn || (index === resumed.turn && at <= resumed.block));
        if (isCovered || block.type === "compaction") continue;
        const path = paths[at] ?? "";
        if (isThinking(block)) items.push({ type: "reasoning", path, signature: signatureOf(block) });
        else items.push({ type: "content", value: [role, normalized(block)] });
      }
    }
    return items;
  }

  #reply(request: MessagesRequest, checked: CheckedPrefix, usage: CacheUsage): Reply {
    const id = `msg_${this.calls.length}`;
    const base = {
      id,
      model: request.model,
      ...transformations(checked.invalid),
      ...this.#diagnostics.of(request, id),
    };
    const tokens = { ...usage, output_tokens: 10 };
    const { contextWindow = Infinity } = this.#options;
    if (promptTokens(request) > contextWindow) {
      return { ...base, content: [], stop_reason: "model_context_window_exceeded", usage: tokens };
    }
    if (request.compaction !== undefined) {
      const block = this.#compactions.make("on-demand", summaryOf(request), checked.chain);
      return { ...base, content: [block], stop_reason: "compaction", usage: withIteration(tokens, request) };
    }
    const edit = editOf(request);
    const isDue = edit !== undefined && promptTokens(request) > (edit.trigger?.value ?? 150_000);
    const compacted = isDue ? [this.#compactions.make("threshold", summaryOf(request), checked.chain)] : [];
    if (isDue && edit.pause_after_compaction === true) {
      return {
        ...base,
        content: compacted,
        stop_reason: "compaction",
        usage: withIteration(tokens, request),
      };
    }
    const scripted = this.#options.reply(request, this.calls.length);
    const resumed = this.#compactions.newest({
      ...request,
      messages: [{ role: "assistant", content: compacted }],
    });
    const bound = resumed === undefined ? checked : { ...checked, chain: resumed.chain, newest: undefined };
    const content = [...compacted, ...this.#blocksOf(scripted, bound, request.model)];
    const stop_reason = scripted.stopReason ?? (scripted.calls === undefined ? "end_turn" : "tool_use");
    return { ...base, content, stop_reason, usage: isDue ? withIteration(tokens, request) : tokens };
  }

  #blocksOf(
    { thinking, isRedacted, text, calls = [] }: ScriptedReply,
    { base, chain, newest }: CheckedPrefix,
    model: string,
  ): readonly Block[] {
    const signature = this.#binding.sign({ base, chain, previous: newest, model });
    const reasoned =
      isRedacted === true
        ? { type: "redacted_thinking", data: signature }
        : { type: "thinking", thinking: thinking ?? "", signature };
    const said: readonly Block[] = [
      ...(text === undefined ? [] : [{ type: "text", text }]),
      ...calls.map(({ name, args }, index) => ({
        type: "tool_use",
        id: `toolu_${this.calls.length}_${index}`,
        name,
        input: args,
      })),
    ];
    if (thinking === undefined) return said;
    this.#thoughtBehind.set(replyId(said), `${base} ${chain}`);
    return [reasoned, ...said];
  }
}

function transformations(invalid: readonly InvalidReasoning[]): object {
  if (invalid.length === 0) return {};
  return { input_transformations: invalid.map((dropped) => ({ type: "thinking_dropped", ...dropped })) };
}

/** The compaction pass is billed beside the top-level usage. */
function withIteration(usage: CacheUsage & { readonly output_tokens: number }, request: MessagesRequest) {
  const pass = { type: "compaction", input_tokens: promptTokens(request), output_tokens: 20 };
  return { ...usage, iterations: [pass, { type: "message", ...usage }] };
}
