import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import {
  anthropicDouble,
  openAIDouble,
  type InvalidReasoning,
  type ScriptedReply,
} from "@palimpsest/provider-doubles";
import { z } from "zod";

export type ReasoningProvider = "anthropic" | "openai";

export interface ReasoningModelOptions {
  /** @default false */
  readonly streaming?: boolean;
  /** Tokens of a prompt above which the provider compacts it. @default never */
  readonly compactAbove?: number;
  /** Format of the content of replies: the provider's blocks, or LangChain's standard blocks. @default "v0" */
  readonly outputVersion?: "v0" | "v1";
}

export interface ReasoningServer {
  /** Returns a model of the provider that reasons in every reply. */
  readonly model: (options?: ReasoningModelOptions) => ChatAnthropic | ChatOpenAI;
  readonly calls: readonly {
    readonly status: number;
    readonly reasoning: number;
    readonly invalid: readonly InvalidReasoning[];
    readonly error?: string;
  }[];
  readonly close: () => Promise<void>;
}

/** Options of the doubles of both providers. */
export interface ReasoningServerOptions {
  /** Tokens (four characters each) above which a prompt is refused. @default Infinity */
  readonly contextWindow?: number;
  /** Ends the answer to such a prompt instead of an error. @default false */
  readonly overflowAsStopReason?: boolean;
}

/** Starts a provider double whose model reads one page after the other and reasons in each reply. */
export function reasoningServer(
  provider: ReasoningProvider,
  steps: number,
  options: ReasoningServerOptions = {},
): Promise<ReasoningServer> {
  let page = 0;
  return serverOf(provider, () => (++page > steps ? answer(page) : reading(page)), options);
}

/** Starts a provider double whose model reasons in each of three replies a turn: it reads two pages, and answers. */
export function turnServer(provider: ReasoningProvider): Promise<ReasoningServer> {
  let page = 0;
  return serverOf(provider, () => (++page % 3 === 0 ? answer(page) : reading(page)));
}

function reading(page: number): ScriptedReply {
  const calls = [{ name: "read_page", args: { page } }];
  return { thinking: `Page ${page} is next.`, text: `Reading page ${page}.`, calls };
}

function answer(page: number): ScriptedReply {
  return { thinking: `Page ${page} is next.`, text: "All pages are read." };
}

async function serverOf(
  provider: ReasoningProvider,
  reply: () => ScriptedReply,
  options: ReasoningServerOptions = {},
): Promise<ReasoningServer> {
  if (provider === "anthropic") {
    const server = await anthropicDouble({ reply, ...options });
    return { ...server, model: (modelOptions = {}) => anthropicModel(server.url, modelOptions) };
  }
  const server = await openAIDouble({ reply, ...options });
  return { ...server, model: (modelOptions = {}) => openAIModel(server.url, modelOptions) };
}

function anthropicModel(
  url: string,
  { streaming = false, compactAbove: value, outputVersion = "v0" }: ReasoningModelOptions,
): ChatAnthropic {
  const trigger = { type: "input_tokens" as const, value: value ?? 0 };
  return new ChatAnthropic({
    ...(value === undefined ? {} : { contextManagement: { edits: [{ type: "compact_20260112", trigger }] } }),
    model: "claude-double",
    apiKey: "none",
    anthropicApiUrl: url,
    streaming,
    outputVersion,
    maxRetries: 0,
    maxTokens: 1_000,
    invocationKwargs: { thinking: { type: "adaptive" } },
  });
}

function openAIModel(
  url: string,
  { streaming = false, compactAbove: compact_threshold, outputVersion = "v0" }: ReasoningModelOptions,
): ChatOpenAI {
  const context_management = [{ type: "compaction", compact_threshold }];
  return new ChatOpenAI({
    ...(compact_threshold === undefined ? {} : { modelKwargs: { context_management } }),
    model: "gpt-double",
    apiKey: "none",
    configuration: { baseURL: url },
    useResponsesApi: true,
    zdrEnabled: true,
    streaming,
    outputVersion,
    maxRetries: 0,
  });
}

/** Returns a page of about 6,000 characters in which every line is unique. */
export const readPageTool = tool(
  ({ page }) =>
    Array.from(
      { length: 120 },
      (_, line) => `${page}.${line}: the value of this line is ${page * 7919 + line}`,
    ).join("\n"),
  { name: "read_page", description: "Reads a page.", schema: z.object({ page: z.number() }) },
) as DynamicStructuredTool;

export const reasoningPrompt = [
  new SystemMessage("You read books."),
  new HumanMessage("Read all pages, and say when you are done."),
];
