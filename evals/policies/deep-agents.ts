import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { MemoryBackend } from "@palimpsest/vfs";
import { createSummarizationMiddleware, type FilesystemBackend } from "deepagents";
import { SummaryWriter } from "../horizon/systems/summary-writer.js";
import type { Policy, PolicyRun } from "./policy.js";

/** What deepagents writes its history to. */
type HistoryBackend = MemoryBackend | FilesystemBackend;

export interface DeepAgentsRun<Backend extends HistoryBackend = MemoryBackend> extends PolicyRun {
  /** Where its history goes, and what its file tools read. */
  readonly backend: Backend;
}

/** deepagents' summarization as installed, with its defaults, over files in memory. */
export const deepAgents: Policy = deepAgentsWith((window) => new SummaryWriter(window));

/** Returns deepagents' summarization with the caller's summary model. */
export function deepAgentsWith(modelOf: (window: number) => SummaryWriter): Policy {
  return {
    name: "deepagents",
    start: ({ budget }) => deepAgentsRun(budget, new MemoryBackend(), modelOf(budget)),
  };
}

/** Returns a run of deepagents' summarization over a thread of its own. */
export function deepAgentsRun<Backend extends HistoryBackend>(
  window: number,
  backend: Backend,
  model = new SummaryWriter(window),
): DeepAgentsRun<Backend> {
  const { wrapModelCall } = createSummarizationMiddleware({ model, backend });
  if (wrapModelCall === undefined) throw new Error("deepagents' summarization has no wrapModelCall");
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
      messages.push(...added);
      const request = { model, messages, state, tools: [], runtime: {} };
      const outcome: unknown = await wrapModelCall(request as never, handler as never);
      if (outcome instanceof Command) state = { ...state, ...(outcome.update as Record<string, unknown>) };
      return sent;
    },
  };
}
