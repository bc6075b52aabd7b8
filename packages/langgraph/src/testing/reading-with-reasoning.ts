import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { ContextOptions } from "../options/context-options.js";
import { contextState } from "../run/context-state.js";
import { foldNode } from "../folding/fold-node.js";
import { compactionNode } from "../nodes/compaction-node.js";
import type { GraphNode } from "../nodes/step-node.js";
import { maskToolResultsNode } from "../nodes/rung-nodes.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { readThread } from "../threads/read-thread.js";
import { inThread } from "./agent-graph.js";
import { readPageTool, reasoningPrompt, reasoningServer, type ReasoningProvider } from "./reasoning-agent.js";

const nodes: Readonly<Record<string, (options: ContextOptions) => GraphNode>> = {
  compactionNode,
  maskToolResultsNode,
  foldNode,
  predictiveContextNode: ({ files, onEvent = () => undefined }) =>
    predictiveContextNode({ files, onEvent, budget: 8_000 }),
  "predictiveContextNode, policy pace": ({ files, onEvent = () => undefined }) =>
    predictiveContextNode({ files, onEvent, budget: 8_000, policy: "pace" }),
};
/** Every node with every provider, streaming or not. */
export const readings = Object.keys(nodes).flatMap((name) =>
  (["anthropic", "openai"] as const).flatMap((provider) =>
    [false, true].map((streaming) => ({ name, provider, streaming })),
  ),
);

export interface Played {
  readonly name: string;
  readonly provider: ReasoningProvider;
  readonly streaming: boolean;
  /** Pages that the model reads. */
  readonly steps: number;
  /** @default "v0" */
  readonly outputVersion?: "v0" | "v1";
}

/** Reads pages of about 1,500 tokens with the real client of a provider, in a window of 16,000 tokens. */
export async function readPages({ name, provider, streaming, steps, outputVersion = "v0" }: Played) {
  const server = await reasoningServer(provider, steps);
  const model = server.model({ streaming, outputVersion }).bindTools([readPageTool]);
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
  const lost = server.calls.flatMap(({ reasoning }, call) =>
    call > 0 && reasoning !== (server.calls[call - 1]?.reasoning ?? 0) + 1 ? [call] : [],
  );
  return { calls: server.calls, thread, rewrittenBefore: new Set(rewrittenBefore), lost };
}
