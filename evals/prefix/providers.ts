import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import {
  anthropicDouble,
  canonicalJson,
  openAIDouble,
  type ScriptedReply,
} from "@palimpsest/provider-doubles";

export type ProviderName = "anthropic" | "openai";
export type ProviderModel = ChatAnthropic | ChatOpenAI;

/** A call of the model as every provider's server sees it. */
export interface ProviderCall {
  readonly status: number;
  readonly toolNames: readonly string[];
  /** Tools, system prompt and blocks in order, a line each; an appended message appends lines. */
  readonly prompt: string;
  /** Reasoning blocks sent. */
  readonly reasoning: number;
  /** Those of them that are not valid behind what was sent before them. */
  readonly invalid: number;
  /** Replies in the prompt whose reasoning would be valid in it, sent or not. */
  readonly keepable: number;
}

export interface ProviderServerOptions {
  /** Returns the next reply of the model; `toolNames` are those of the request. */
  readonly reply: (toolNames: readonly string[], prompt: () => string) => ScriptedReply;
  /** Tokens above which the server refuses a prompt. @default Infinity */
  readonly contextWindow?: number;
}

export interface ProviderServer {
  /** Returns a model whose profile states a window. */
  readonly model: (window: number, streaming: boolean) => ProviderModel;
  readonly countCalls: () => number;
  readonly calls: () => readonly ProviderCall[];
  readonly close: () => Promise<void>;
}

/** Servers that enforce the published rules, each behind the real client. Invalid reasoning is dropped, so that a run goes on. */
export const providers: Readonly<
  Record<ProviderName, (options: ProviderServerOptions) => Promise<ProviderServer>>
> = { anthropic: anthropicServer, openai: openAIServer };

/** Gives a model a profile that states its window. */
function withWindow<Model extends ProviderModel>(model: Model, maxInputTokens: number): Model {
  return Object.defineProperty(model, "profile", { value: { maxInputTokens } });
}

async function anthropicServer({ reply, ...options }: ProviderServerOptions): Promise<ProviderServer> {
  const server = await anthropicDouble({
    ...options,
    onInvalidThinking: "drop",
    reply: (request) => reply(namesOf(request.tools), () => promptOf(request)),
  });
  return {
    close: server.close,
    countCalls: () => server.calls.length,
    model(window, streaming) {
      const model = new ChatAnthropic({
        model: "claude-double",
        apiKey: "none",
        anthropicApiUrl: server.url,
        streaming,
        maxRetries: 0,
        maxTokens: 1_000,
        invocationKwargs: { thinking: { type: "adaptive" }, cache_control: { type: "ephemeral" } },
      });
      return withWindow(model, window);
    },
    calls: () =>
      server.calls.map(({ request, status, reasoning, invalid, keepable }) => ({
        status,
        reasoning,
        keepable,
        toolNames: namesOf(request.tools),
        prompt: promptOf(request),
        invalid: invalid.length,
      })),
  };
}

async function openAIServer({ reply, ...options }: ProviderServerOptions): Promise<ProviderServer> {
  const server = await openAIDouble({
    ...options,
    reply: (request) => reply(namesOf(request.tools), () => linesOf([request.tools, "", request.input])),
  });
  return {
    close: server.close,
    countCalls: () => server.calls.length,
    model(window, streaming) {
      const model = new ChatOpenAI({
        model: "gpt-double",
        apiKey: "none",
        configuration: { baseURL: server.url },
        useResponsesApi: true,
        zdrEnabled: true,
        streaming,
        maxRetries: 0,
      });
      return withWindow(model, window);
    },
    calls: () =>
      server.calls.map(({ request, status, reasoning, invalid, keepable }) => ({
        status,
        reasoning,
        keepable,
        toolNames: namesOf(request.tools),
        prompt: linesOf([request.tools, request.instructions, request.input]),
        invalid: invalid.length,
      })),
  };
}

type AnthropicRequest = Parameters<Parameters<typeof anthropicDouble>[0]["reply"]>[0];

function promptOf({ tools, system, messages }: AnthropicRequest): string {
  const turns = messages.map(({ role, content }) =>
    (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block) => [role, block]),
  );
  return linesOf([tools, system, turns.flat()]);
}

function linesOf([tools, system, items]: readonly unknown[]): string {
  const list = Array.isArray(items) ? (items as readonly unknown[]) : [items];
  return [tools ?? [], system ?? "", ...list].map(canonicalJson).join("\n");
}

function namesOf(tools: readonly unknown[] = []): readonly string[] {
  return tools.map((tool) => String((tool as { readonly name?: unknown }).name));
}
