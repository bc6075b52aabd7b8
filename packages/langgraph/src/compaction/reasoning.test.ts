import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { hasBoundReasoning } from "@palimpsest/context/internal";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { contextState } from "../edge/context-state.js";
import type { ContextOptions } from "../edge/context-options.js";
import { foldNode } from "../folding/fold-node.js";
import { compactionNode, type GraphNode } from "../nodes/compaction-node.js";
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

const steps = 40;
const nodes: Readonly<Record<string, (options: ContextOptions) => GraphNode>> = {
  compactionNode,
  maskToolResultsNode,
  foldNode,
  predictiveContextNode: ({ files, onEvent = () => undefined }) =>
    predictiveContextNode({ files, onEvent, budget: 8_000 }),
  "predictiveContextNode, policy pace": ({ files, onEvent = () => undefined }) =>
    predictiveContextNode({ files, onEvent, budget: 8_000, policy: "pace" }),
};
const cases = Object.keys(nodes).flatMap((name) =>
  (["anthropic", "openai"] as const).flatMap((provider) =>
    [false, true].map((streaming) => ({ name, provider, streaming })),
  ),
);

interface Played {
  readonly name: string;
  readonly provider: ReasoningProvider;
  readonly streaming: boolean;
}

/** Reads 40 pages with the real client of a provider, in a window of 16,000 tokens. */
async function play({ name, provider, streaming }: Played) {
  const server = await reasoningServer(provider, steps);
  const model = server.model({ streaming }).bindTools([readPageTool]);
  const rewrittenBefore: number[] = [];
  const options: ContextOptions = {
    files: VirtualFilesystem.inMemory(),
    contextWindow: 16_000,
    onEvent({ type }) {
      if (type === "context.fold") rewrittenBefore.push(server.calls.length);
    },
  };
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([readPageTool]))
    .addNode("compact", nodes[name]!(options))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ messages: reasoningPrompt }, inThread("t"));
  const thread = await readThread(graph, inThread("t"), options);
  await server.close();
  return { calls: server.calls, thread, rewrittenBefore: new Set(rewrittenBefore) };
}

describe("a model that binds its reasoning to an unchanged prefix", () => {
  it.each(cases)(
    "accepts every call and reads all reasoning sent: $name, $provider, streaming $streaming",
    async (played) => {
      const { calls } = await play(played);
      expect(calls).toHaveLength(steps + 1);
      expect(calls.filter(({ status, invalid }) => status !== 200 || invalid.length > 0)).toEqual([]);
    },
  );

  it.each(["anthropic", "openai"] as const)(
    "keeps all it thought between two compactions: %s",
    async (provider) => {
      const { calls, rewrittenBefore } = await play({ name: "compactionNode", provider, streaming: false });
      const lost = calls.flatMap(({ reasoning }, call) =>
        call > 0 && reasoning !== (calls[call - 1]?.reasoning ?? 0) + 1 ? [call] : [],
      );
      expect(lost.filter((call) => !rewrittenBefore.has(call))).toEqual([]);
      expect(lost.length).toBeLessThan(steps / 5);
    },
  );

  it.each(cases)(
    "finds all its reasoning in the unfolded thread: $name, $provider, streaming $streaming",
    async (played) => {
      const { thread } = await play(played);
      expect(thread.filter(hasBoundReasoning)).toHaveLength(steps + 1);
    },
  );
});
