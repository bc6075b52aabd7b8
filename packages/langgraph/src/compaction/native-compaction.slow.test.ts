import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { foldOf } from "@palimpsest/context";
import { isNativeCompaction } from "@palimpsest/context/internal";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { contextState } from "../run/context-state.js";
import { foldNode } from "../folding/fold-node.js";
import { compactionNode } from "../nodes/compaction-node.js";
import type { GraphNode } from "../nodes/step-node.js";
import { maskToolResultsNode } from "../nodes/rung-nodes.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { inThread } from "../testing/agent-graph.js";
import {
  readPageTool,
  reasoningPrompt,
  reasoningServer,
  type ReasoningProvider,
} from "../testing/reasoning-agent.js";
import { readThread } from "../threads/read-thread.js";
import { unfoldThread } from "../threads/unfold-thread.js";

const steps = 24;
const nodes: Readonly<Record<string, (options: ContextOptions) => GraphNode>> = {
  compactionNode,
  maskToolResultsNode,
  foldNode,
  predictiveContextNode: ({ files, onEvent = () => undefined }) =>
    predictiveContextNode({ files, onEvent, budget: 8_000 }),
};
const cases = Object.keys(nodes).flatMap((name) =>
  (["anthropic", "openai"] as const).flatMap((provider) =>
    (name === "compactionNode" ? [false, true] : [false]).map((streaming) => ({ name, provider, streaming })),
  ),
);

interface Played {
  readonly name: string;
  readonly provider: ReasoningProvider;
  readonly streaming: boolean;
}

/**
 * Reads 24 pages in a window of 14,000 tokens; over the first twelve calls the provider compacts each prompt of more than
 * 1,600 tokens.
 */
async function play({ name, provider, streaming }: Played) {
  const server = await reasoningServer(provider, steps);
  const compacting = server.model({ streaming, compactAbove: 1_600 }).bindTools([readPageTool]);
  const plain = server.model({ streaming }).bindTools([readPageTool]);
  const events: ContextEvent[] = [];
  const options = {
    files: VirtualFilesystem.inMemory(),
    contextWindow: 14_000,
    onEvent: (event: ContextEvent) => events.push(event),
  };
  const contexts: BaseMessage[][] = [];
  const replies = new Map<string | undefined, object>();
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("model", async ({ messages }) => {
      contexts.push(messages);
      const model = contexts.length > 12 ? plain : compacting;
      const reply = await model.invoke(messages);
      replies.set(reply.id, carried(reply));
      return { messages: [reply] };
    })
    .addNode("tools", new ToolNode([readPageTool]))
    .addNode("compact", nodes[name]!(options))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ messages: reasoningPrompt }, inThread("t"));
  return { server, graph, options, events, contexts, replies };
}

/** Returns the fields in which a message carries a compaction. */
const carried = ({ content, response_metadata }: BaseMessage) =>
  structuredClone({ content, response_metadata });

describe("an agent whose provider compacts", () => {
  it.each(cases)(
    "an agent whose provider compacts has every call accepted and all reasoning read, and loses nothing: $name, $provider, streaming $streaming",
    async (played) => {
      const { server, graph, options, contexts, replies } = await play(played);
      await server.close();
      expect(server.calls).toHaveLength(steps + 1);
      expect(server.calls.filter(({ status, invalid }) => status !== 200 || invalid.length > 0)).toEqual([]);
      const sent = contexts.flat().filter(isNativeCompaction);
      expect(sent.map(carried)).toEqual(sent.map(({ id }) => replies.get(id)));
      const thread = await readThread(graph, inThread("t"), options);
      expect(thread.filter(isNativeCompaction).length).toBeGreaterThan(0);
      const results = thread.filter((message) => message.getType() === "tool");
      expect(results.map(({ text }) => text.slice(0, text.indexOf(".")))).toEqual(
        Array.from({ length: steps }, (_, page) => String(page + 1)),
      );
      expect(new Set(thread.map(({ id }) => id)).size).toBe(thread.length);
      expect(thread).toHaveLength(2 * steps + 3);
    },
  );

  it.each(["anthropic", "openai"] as const)(
    "the ladder removes the messages that the provider compacted from the context, and unfolds them again: %s",
    async (provider) => {
      const { server, graph, options, contexts } = await play({
        name: "compactionNode",
        provider,
        streaming: false,
      });
      await server.close();
      const shortened = contexts.flatMap((context) => {
        const at = context.findIndex((message) => foldOf(message)?.kind === "native");
        return at < 0 ? [] : [context.slice(0, at).map((message) => message.getType())];
      });
      expect(shortened.length).toBeGreaterThan(0);
      expect(new Set(shortened.flat())).toEqual(new Set(["system", "human"]));
      const before = await readThread(graph, inThread("t"), options);
      await unfoldThread(graph, inThread("t"), { ...options, force: true });
      const { messages } = (await graph.getState(inThread("t"))).values as { messages: BaseMessage[] };
      expect(messages).toEqual(before);
    },
  );

  it("context.native has the usage of the provider's compactions", async () => {
    const { server, events } = await play({
      name: "compactionNode",
      provider: "anthropic",
      streaming: false,
    });
    await server.close();
    const passes = events.filter(({ type }) => type === "context.native");
    expect(passes.length).toBeGreaterThan(0);
    expect(passes[0]).toMatchObject({ usage: { calls: 1, reportedCalls: 1, outputTokens: 20 } });
    expect(passes[0]?.type === "context.native" && passes[0].usage?.inputTokens).toBeGreaterThan(1_600);
  });
});
