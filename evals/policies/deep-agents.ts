import { AIMessage, type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { isToolResult } from "@palimpsest/context/internal";
import { MemoryBackend } from "@palimpsest/vfs";
import {
  createFilesystemMiddleware,
  createSummarizationMiddleware,
  type FilesystemBackend,
} from "deepagents";
import { SummaryWriter } from "../horizon/systems/summary-writer.js";
import type { Policy, PolicyRun } from "./policy.js";

/** What deepagents writes its history to. */
type HistoryBackend = MemoryBackend | FilesystemBackend;

export interface DeepAgentsRun<Backend extends HistoryBackend = MemoryBackend> extends PolicyRun {
  /** Where its history goes, and what its file tools read. */
  readonly backend: Backend;
}

/** deepagents' own options. */
export interface DeepAgentsSettings {
  /** Share of the window at which it summarizes. @default its own, 0.85 */
  readonly trigger?: number;
  /** Tokens of the newest messages that it keeps. @default its own, a tenth of the window */
  readonly keep?: number;
  /** Messages that it keeps, in place of tokens. */
  readonly keepMessages?: number;
  /** Tokens over which it moves a tool result to a file. @default its own, 20,000 */
  readonly evict?: number;
  /** Tokens of the conversation that its summary model reads. @default its own, no limit */
  readonly summaryInput?: number;
}

/** deepagents' summarization and eviction as installed, with its defaults, over files in memory. */
export const deepAgents: Policy = deepAgentsWith((window) => new SummaryWriter(window));

/** Returns deepagents with the caller's summary model. */
export function deepAgentsWith(
  modelOf: (window: number) => SummaryWriter,
  settings: DeepAgentsSettings = {},
): Policy {
  return {
    name: "deepagents",
    start: ({ budget }) => deepAgentsRun(budget, new MemoryBackend(), { model: modelOf(budget), settings }),
  };
}

interface RunOptions {
  readonly model?: SummaryWriter;
  readonly settings?: DeepAgentsSettings;
}

/** Returns a run of deepagents' summarization over a thread of its own. */
export function deepAgentsRun<Backend extends HistoryBackend>(
  window: number,
  backend: Backend,
  { model = new SummaryWriter(window), settings = {} }: RunOptions = {},
): DeepAgentsRun<Backend> {
  const { trigger, keep, keepMessages, summaryInput } = settings;
  const { wrapModelCall } = createSummarizationMiddleware({
    model,
    backend,
    ...(trigger === undefined ? {} : { trigger: { type: "fraction", value: trigger } }),
    ...(keep === undefined ? {} : { keep: { type: "tokens", value: keep } }),
    ...(keepMessages === undefined ? {} : { keep: { type: "messages", value: keepMessages } }),
    ...(summaryInput === undefined ? {} : { trimTokensToSummarize: summaryInput }),
  });
  if (wrapModelCall === undefined) throw new Error("deepagents' summarization has no wrapModelCall");
  const evict = evictingInto(backend, settings);
  const messages: BaseMessage[] = [];
  let state: Record<string, unknown> = { messages };
  let sent: readonly BaseMessage[] = [];
  const handler = async (request: { readonly messages: readonly BaseMessage[] }) => {
    // The middleware may pass on the same list object, which grows at the next step.
    sent = [...request.messages];
    return new AIMessage("done");
  };
  return {
    backend,
    async context(added) {
      for (const message of added) messages.push(await evict(message));
      const request = { model, messages, state, tools: [], runtime: {} };
      const outcome: unknown = await wrapModelCall(request as never, handler as never);
      if (outcome instanceof Command) state = { ...state, ...(outcome.update as Record<string, unknown>) };
      return sent;
    },
  };
}

/** Returns what its filesystem middleware makes of a tool result on arrival. */
export function evictingInto(backend: HistoryBackend, { evict }: DeepAgentsSettings = {}) {
  const options = { backend, ...(evict === undefined ? {} : { toolTokenLimitBeforeEvict: evict }) };
  const wrapToolCall = createFilesystemMiddleware(options).wrapToolCall as unknown as (
    request: object,
    handler: () => Promise<ToolMessage>,
  ) => Promise<ToolMessage>;
  return async (message: BaseMessage): Promise<BaseMessage> => {
    if (!isToolResult(message)) return message;
    const toolCall = { id: message.tool_call_id, name: message.name ?? "tool", args: {} };
    const evicted = await wrapToolCall({ toolCall, state: {}, runtime: {} }, async () => message);
    if (message.id !== undefined) evicted.id ??= message.id;
    return evicted;
  };
}
