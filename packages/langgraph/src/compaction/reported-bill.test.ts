import { ChatAnthropic } from "@langchain/anthropic";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { AIMessage } from "@langchain/core/messages";
import { anthropicDouble } from "@palimpsest/provider-doubles";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import type { PlannedBill } from "../context-event.js";
import { contextState } from "../run/context-state.js";
import type { ContextOptions } from "../options/context-options.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { readPageTool, reasoningPrompt } from "../testing/reasoning-agent.js";

const prices = { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 };
const steps = 40;

/** Reads 40 pages with the real client of Anthropic, its automatic cache and its cache diagnostics. */
async function bills(streaming: boolean) {
  let page = 0;
  const server = await anthropicDouble({
    reply: () =>
      ++page > steps
        ? { text: "All pages are read." }
        : { text: `Page ${page}.`, calls: [{ name: "read_page", args: { page } }] },
  });
  const model = (previous: string | undefined) =>
    new ChatAnthropic({
      model: "claude-double",
      apiKey: "none",
      anthropicApiUrl: server.url,
      streaming,
      maxRetries: 0,
      maxTokens: 1_000,
      invocationKwargs: { diagnostics: { previous_message_id: previous ?? null } },
    }).bindTools([readPageTool], { cache_control: { type: "ephemeral" } });
  const found: PlannedBill[] = [];
  const options: ContextOptions = {
    files: VirtualFilesystem.inMemory(),
    contextWindow: 16_000,
    planner: { prices },
    onEvent(event) {
      if (event.type === "context.compaction" && event.bill !== undefined) found.push(event.bill);
    },
  };
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("model", async ({ messages }) => {
      const previous = messages.findLast((message) => AIMessage.isInstance(message))?.id;
      return { messages: [await model(previous).invoke(messages)] };
    })
    .addNode("tools", new ToolNode([readPageTool]))
    .addNode("compact", compactionNode(options))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ messages: reasoningPrompt }, inThread("t"));
  await server.close();
  return { bills: found, calls: server.calls };
}

it.each([false, true])(
  "a bill has the first call after the last compaction as predicted and as the provider reported it, streaming %s",
  async (streaming) => {
    const { bills: found, calls } = await bills(streaming);
    const first = found.flatMap(({ last }) => (last === undefined ? [] : [last.firstCall]));
    expect(first.length).toBeGreaterThan(1);
    for (const call of first) {
      const { predicted, reported } = call!;
      expect(reported.cacheMiss?.reason).toBe("messages_changed");
      expect(reported.cacheMiss?.tokens).toBeGreaterThan(0);
      expect(reported.cachedTokens).toBeLessThan(reported.tokens);
      expect(Math.abs(reported.tokens / predicted.tokens - 1)).toBeLessThan(0.1);
      expect(Math.abs(reported.cost / predicted.cost - 1)).toBeLessThan(0.25);
    }
    const sent = calls.map(({ usage }) => {
      const { input_tokens: rest = 0, cache_read_input_tokens: read = 0 } = usage ?? {};
      return { tokens: rest + read + (usage?.cache_creation_input_tokens ?? 0), cachedTokens: read };
    });
    for (const call of first) {
      const { tokens, cachedTokens } = call!.reported;
      expect(sent).toContainEqual({ tokens, cachedTokens });
    }
  },
);
