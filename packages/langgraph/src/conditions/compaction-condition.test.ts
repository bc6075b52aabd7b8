import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { requestArtifact } from "../compaction/agent-request.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentState, inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { readingJob } from "../testing/reading-job.js";
import { unfolded } from "../testing/storage.js";
import { compactionCondition } from "./compaction-condition.js";

const files = VirtualFilesystem.inMemory();

it("goes straight to the model when nothing is due", () => {
  expect(compactionCondition({ files, contextWindow: 50_000 })({ messages: history({ steps: 5 }) })).toBe(
    "model",
  );
});

it("routes to the compaction node when the trigger is met, a result is too large, or the agent has asked", () => {
  const condition = compactionCondition({ files, contextWindow: 50_000 });
  const full = history({ steps: 20, result: (step) => filler(2_300, step) });
  const large = history({ steps: 1, result: () => filler(21_000) });
  const artifact = requestArtifact({ strategy: "summarize", preserveMarkers: true, reason: "done" });
  const asked = [
    ...history({ steps: 2 }),
    new AIMessage({ id: "a", content: "", tool_calls: [{ id: "ask", name: "compress_context", args: {} }] }),
    new ToolMessage({ id: "r", content: "soon", tool_call_id: "ask", artifact }),
  ];
  expect([full, large, asked].map((messages) => condition({ messages }))).toEqual([
    "compact",
    "compact",
    "compact",
  ]);
});

it("routes to the nodes named in its options", () => {
  const condition = compactionCondition({ files, contextWindow: 50_000, to: "tidy", otherwise: "agent" });
  expect(condition({ messages: [] })).toBe("agent");
  expect(condition({ messages: history({ steps: 1, result: () => filler(21_000) }) })).toBe("tidy");
});

it("does not send a compaction that was refused to the node again before the context has grown", () => {
  const messages = history({ steps: 20, result: (step) => filler(2_300, step) });
  const condition = compactionCondition({ files, contextWindow: 50_000 });
  const tokens = estimateTokens(messages);
  expect(condition({ messages, compaction: { refusedAt: tokens } })).toBe("model");
  expect(condition({ messages, compaction: { refusedAt: tokens / 1.06 } })).toBe("compact");
});

it("changes nothing but the number of steps", async () => {
  const job = readingJob({ pages: 40, lines: 30 });
  const own = VirtualFilesystem.inMemory();
  const options = { files: own, contextWindow: 12_000 };
  let runs = 0;
  const node = compactionNode(options);
  const graph = new StateGraph(agentState)
    .addNode("model", async ({ messages }) => ({ messages: [await job.model.invoke(messages)] }))
    .addNode("tools", new ToolNode(job.tools))
    .addNode("compact", (state, config) => (runs++, node(state, config)))
    .addConditionalEdges(START, compactionCondition(options), ["compact", "model"])
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addConditionalEdges("tools", compactionCondition(options), ["compact", "model"])
    .compile({ checkpointer: new MemorySaver() });
  const { messages } = await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));

  expect(Math.max(...job.model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(12_000);
  expect(runs).toBeGreaterThan(1);
  expect(runs).toBeLessThan(9);
  expect(await unfolded(messages, own, "t")).toEqual(job.thread("atlas"));
});
