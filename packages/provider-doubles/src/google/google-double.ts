import { providerServer, type ProviderRequest, type ProviderResponse } from "../http-server.js";
import { digest, wireTokens } from "../prefix-binding.js";
import type { ScriptedReply } from "../scripted-reply.js";
import { contentsFault, type GenerateRequest, type Part } from "./contents.js";

export interface GoogleDoubleOptions {
  readonly reply: (request: GenerateRequest, call: number) => ScriptedReply;
  /** Tokens (four characters each) above which a prompt is refused. @default Infinity */
  readonly contextWindow?: number;
}

/** One request and what became of it. */
export interface GoogleCall {
  readonly request: GenerateRequest;
  readonly model: string;
  readonly status: number;
  readonly error?: string;
  /** Thought signatures in the request. */
  readonly signatures: number;
  readonly inputTokens: number;
}

export interface GoogleDouble {
  /** For the client's `endpoint`. */
  readonly url: string;
  readonly calls: readonly GoogleCall[];
  readonly close: () => Promise<void>;
}

/**
 * Starts a server that speaks `POST /v1beta/models/MODEL:generateContent` and its streaming form, and enforces the published
 * rules: calls with as many responses, no empty content, and on each call of the current turn the signature it was made with.
 */
export async function googleDouble(options: GoogleDoubleOptions): Promise<GoogleDouble> {
  const api = new GenerateApi(options);
  const server = await providerServer<GenerateRequest>((request) => api.answer(request));
  return { ...server, calls: api.calls };
}

class GenerateApi {
  readonly calls: GoogleCall[] = [];
  readonly #options: GoogleDoubleOptions;
  readonly #issued = new Set<string>();

  constructor(options: GoogleDoubleOptions) {
    this.#options = options;
  }

  answer({ body, path }: ProviderRequest<GenerateRequest>): ProviderResponse {
    const [, model = "", method = ""] = /models\/([^:]+):(\w+)/.exec(path) ?? [];
    const inputTokens = wireTokens(body);
    const signatures = body.contents
      .flatMap(({ parts = [] }) => parts)
      .filter(({ thoughtSignature }) => thoughtSignature !== undefined).length;
    const call = { request: body, model, signatures, inputTokens };
    const error = this.#fault(body, model, inputTokens);
    if (error !== undefined) {
      this.calls.push({ ...call, status: 400, error });
      return { status: 400, body: { error: { code: 400, message: error, status: "INVALID_ARGUMENT" } } };
    }
    this.calls.push({ ...call, status: 200 });
    const parts = this.#parts(this.#options.reply(body, this.calls.length));
    const usageMetadata = {
      promptTokenCount: inputTokens,
      candidatesTokenCount: 10,
      totalTokenCount: inputTokens + 10,
    };
    const rest = { modelVersion: model, usageMetadata };
    if (method !== "streamGenerateContent") {
      return { status: 200, body: { candidates: [candidate(parts, "STOP")], ...rest } };
    }
    const chunks = parts.map((part, index) =>
      candidate([part], index === parts.length - 1 ? "STOP" : undefined),
    );
    return { events: chunks.map((each) => ({ event: "message", data: { candidates: [each], ...rest } })) };
  }

  #fault(body: GenerateRequest, model: string, tokens: number): string | undefined {
    const { contextWindow = Infinity } = this.#options;
    if (tokens > contextWindow) {
      return `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${contextWindow}).`;
    }
    return contentsFault(body.contents, { model, issued: this.#issued });
  }

  /** The first call carries the signature, or the last part of a reply without calls. */
  #parts({ thinking, text, calls = [] }: ScriptedReply): readonly Part[] {
    const parts: Part[] = [
      ...(thinking === undefined ? [] : [{ text: thinking, thought: true }]),
      ...(text === undefined ? [] : [{ text }]),
      ...calls.map(({ name, args }) => ({ functionCall: { name, args } })),
    ];
    const signature = digest(`signature ${this.calls.length}`);
    this.#issued.add(signature);
    const first = parts.findIndex(({ functionCall }) => functionCall !== undefined);
    const signed = first >= 0 ? first : parts.length - 1;
    return parts.map((part, index) => (index === signed ? { ...part, thoughtSignature: signature } : part));
  }
}

function candidate(parts: readonly Part[], finishReason: string | undefined) {
  return {
    index: 0,
    content: { role: "model", parts },
    ...(finishReason === undefined ? {} : { finishReason }),
  };
}
