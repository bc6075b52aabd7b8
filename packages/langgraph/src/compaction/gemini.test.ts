import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { tool, type DynamicStructuredTool } from "@langchain/core/tools";
import { ChatGoogle } from "@langchain/google";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { googleDouble } from "@palimpsest/provider-doubles";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { z } from "zod";
import { contextState } from "../run/context-state.js";
import type { ContextOptions } from "../options/context-options.js";
import { foldNode } from "../folding/fold-node.js";
import { compactionNode } from "../nodes/compaction-node.js";
import type { GraphNode } from "../nodes/step-node.js";
import { maskToolResultsNode, truncateToolInputsNode } from "../nodes/rung-nodes.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { readPageTool } from "../testing/reasoning-agent.js";
import { readThread } from "../threads/read-thread.js";

const steps = 24;
const nodes: Readonly<Record<string, (options: ContextOptions) => GraphNode>> = {
  compactionNode,
  maskToolResultsNode,
  truncateToolInputsNode,
  foldNode,
  predictiveContextNode: ({ files }) => predictiveContextNode({ files, budget: 8_000 }),
};
const cases = Object.keys(nodes).flatMap((name) => [false, true].map((streaming) => ({ name, streaming })));

const writeNoteTool = tool(() => "Written.", {
  name: "write_note",
  description: "Writes a note.",
  schema: z.object({ path: z.string(), text: z.string() }),
}) as DynamicStructuredTool;

/** Reads 24 pages with the real client of Gemini, and writes a note of 4,000 characters about each. */
async function play({ name, streaming }: (typeof cases)[number]) {
  let page = 0;
  const server = await googleDouble({
    reply() {
      page++;
      const thinking = `Page ${page} is next.`;
      if (page > steps) return { thinking, text: "All pages are read." };
      const note = { path: `/${page}.md`, text: filler(1_000, page) };
      const calls = [
        { name: "read_page", args: { page } },
        { name: "write_note", args: note },
      ];
      return { thinking, text: `Reading page ${page}.`, calls };
    },
  });
  const endpoint = server.url;
  const tools = [readPageTool, writeNoteTool];
  const client = { model: "gemini-3-double", apiKey: "none", endpoint, streaming, maxRetries: 0 };
  const model = new ChatGoogle(client).bindTools(tools);
  const options = { files: VirtualFilesystem.inMemory(), contextWindow: 16_000 };
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode(tools))
    .addNode("compact", nodes[name]!(options))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
  const messages: BaseMessage[] = [new SystemMessage("You read."), new HumanMessage("Read all pages.")];
  await graph.invoke({ messages }, inThread("t"));
  const thread = await readThread(graph, inThread("t"), options);
  await server.close();
  return { calls: server.calls, thread };
}

it.each(cases)(
  "Gemini accepts every call of a shortened context, and the thread has every signature: $name, streaming $streaming",
  async (played) => {
    const { calls, thread } = await play(played);
    expect(calls.map(({ error, status }) => error ?? status)).toEqual(Array(steps + 1).fill(200));
    // Sent whole, the pages and the notes are more than 60,000 tokens.
    expect(calls.at(-1)?.inputTokens).toBeLessThan(38_000);
    expect(JSON.stringify(thread).match(/"thoughtSignature"/g)?.length).toBeGreaterThanOrEqual(steps + 1);
  },
);
