import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import type { ContextOptions } from "../edge/context-options.js";
import { compactionCondition } from "../conditions/compaction-condition.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { agentGraph, agentState, inThread } from "../testing/agent-graph.js";
import { readingJob, type ReadingJob } from "../testing/reading-job.js";
import { unfolded } from "../testing/storage.js";
import { compactionNode } from "./compaction-node.js";

const hosts = {
  "a node": ({ model, tools }: ReadingJob, options: ContextOptions) =>
    agentGraph({ model, tools, compact: compactionNode(options) }),
  "a node behind its condition": ({ model, tools }: ReadingJob, options: ContextOptions) =>
    new StateGraph(agentState)
      .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("tools", new ToolNode(tools))
      .addNode("compact", compactionNode(options))
      .addConditionalEdges(START, compactionCondition(options), ["compact", "model"])
      .addEdge("compact", "model")
      .addConditionalEdges("model", toolsCondition)
      .addConditionalEdges("tools", compactionCondition(options), ["compact", "model"])
      .compile({ checkpointer: new MemorySaver() }),
  "the middleware": ({ model, tools }: ReadingJob, options: ContextOptions) =>
    createAgent({
      model,
      tools,
      middleware: [contextMiddleware({ ...options, summaryModel: "none", fileTools: [] })],
      checkpointer: new MemorySaver(),
    }),
};

it.each(Object.entries(hosts))(
  "%s leaves out what a client sends again of a folded history, and the thread holds it once",
  async (_, host) => {
    const contextWindow = 12_000;
    const files = VirtualFilesystem.inMemory();
    const job = readingJob({ pages: 40, parallel: 2, lines: 40 });
    const graph = host(job, { files, contextWindow });
    const shown = new Map<string, BaseMessage>();
    async function turn(question: HumanMessage): Promise<readonly BaseMessage[]> {
      const input = { messages: [...shown.values(), question] };
      const stream = await graph.stream(input, { ...inThread("t"), streamMode: "values" });
      let newest: readonly BaseMessage[] = [];
      for await (const { messages } of stream as AsyncIterable<{ messages: BaseMessage[] }>) {
        newest = messages;
        // A client knows what it has been shown, and no summaries.
        const own = messages.filter(({ id = "" }) => !id.startsWith("summary-"));
        for (const message of own) shown.set(message.id ?? "", shown.get(message.id ?? "") ?? message);
      }
      return newest;
    }
    await turn(job.ask("atlas"));
    const prompts = job.model.prompts.length;
    await turn(new HumanMessage({ id: "second", content: "And now?" }));
    const messages = await turn(new HumanMessage({ id: "third", content: "And then?" }));

    const last = job.model.prompts.slice(prompts);
    expect(last.map((prompt) => prompt.at(-1)?.id)).toEqual(["second", "third"]);
    expect(Math.max(...last.map((prompt) => estimateTokens(prompt)))).toBeLessThan(contextWindow);
    expect(last.flatMap((prompt) => illegalities(prompt))).toEqual([]);
    const opened = await unfolded(messages, files, "t");
    expect(opened.map(({ data }) => data["id"])).toEqual([...shown.keys()]);
  },
);
