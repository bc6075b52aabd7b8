import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatGoogle } from "@langchain/google";
import { ChatOpenAI } from "@langchain/openai";
import {
  anthropicDouble,
  googleDouble,
  openAIDouble,
  type ScriptedReply,
} from "@palimpsest/provider-doubles";
import { chatServer, type WireAnswer } from "./chat-server.js";

export interface ProviderOptions {
  /** What the model says in the next call that the provider accepts. */
  readonly reply: () => ScriptedReply;
  /** Tokens (four characters each) above which a prompt is refused. @default Infinity */
  readonly contextWindow?: number;
}

/** A provider's own client, and the server that it talks to. */
export interface ProviderClient {
  readonly model: () => BaseChatModel;
  /** Returns the calls in order. */
  readonly calls: () => readonly ProviderCall[];
  readonly close: () => Promise<void>;
}

export interface ProviderCall {
  /** What the server refused it for. */
  readonly error?: string;
  readonly request: unknown;
}

const common = { apiKey: "none", maxRetries: 0 };

/** The clients by name. Each server enforces the rules of its protocol. */
export const providerClients: Readonly<
  Record<string, (options: ProviderOptions) => Promise<ProviderClient>>
> = {
  "ChatOpenAI, Chat Completions": chatCompletions,
  async "ChatOpenAI, Responses"(options) {
    const { url, calls, close } = await openAIDouble(options);
    const own = { model: "gpt-double", useResponsesApi: true, zdrEnabled: true };
    const configuration = { baseURL: url };
    const model = () => new ChatOpenAI({ ...common, ...own, configuration });
    return { model, calls: () => calls, close };
  },
  async ChatAnthropic(options) {
    const { url, calls, close } = await anthropicDouble(options);
    const own = { model: "claude-double", anthropicApiUrl: url, maxTokens: 1_000 };
    const invocationKwargs = { thinking: { type: "adaptive" } };
    const model = () => new ChatAnthropic({ ...common, ...own, invocationKwargs });
    return { model, calls: () => calls, close };
  },
  async ChatGoogle(options) {
    const { url, calls, close } = await googleDouble(options);
    const own = { model: "gemini-3-double", endpoint: url };
    const model = () => new ChatGoogle({ ...common, ...own });
    return { model, calls: () => calls, close };
  },
};

async function chatCompletions({
  reply,
  contextWindow = Infinity,
}: ProviderOptions): Promise<ProviderClient> {
  const calls: ProviderCall[] = [];
  const server = await chatServer(({ text }): WireAnswer => {
    const request: unknown = JSON.parse(text);
    if (text.length / 4 > contextWindow) {
      const error = `This model's maximum context length is ${contextWindow} tokens.`;
      calls.push({ request, error });
      const code = "context_length_exceeded";
      return { status: 400, error: { message: error, code, type: "invalid_request_error" } };
    }
    calls.push({ request });
    const { thinking, text: content = "", calls: asked = [] } = reply();
    return {
      content,
      ...(thinking === undefined ? {} : { reasoning: thinking }),
      calls: asked.map((call, index) => ({ id: `call_${calls.length}_${index}`, ...call })),
    };
  });
  const configuration = { baseURL: server.url };
  const model = () => new ChatOpenAI({ ...common, model: "local", configuration });
  return { model, calls: () => calls, close: server.close };
}
