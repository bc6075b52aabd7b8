import type { BaseMessage } from "@langchain/core/messages";
import { entrypoint, MessagesAnnotation, START, StateGraph, task } from "@langchain/langgraph";
import { foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { compactionNode } from "./compaction-node.js";

const messages = history({ steps: 20, result: (step) => filler(300, step) });
const compact = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: 4_000 });
const state = { messages, compaction: {} };
const listOf = (update: object) => (update as { readonly messages: BaseMessage[] }).messages;

it("a node returns a plain list in the functional API, where no reducer takes an overwrite", async () => {
  const direct = entrypoint({ name: "direct" }, async (_: string, config) =>
    listOf(await compact(state, config)),
  );
  const inTask = task("compact", async (_question: string) => compact(state));
  const tasked = entrypoint({ name: "tasked" }, async (question: string) => listOf(await inTask(question)));
  for (const agent of [direct, tasked]) {
    const list = await agent.invoke("go", inThread("t"));
    expect(Array.isArray(list)).toBe(true);
    expect(list.length).toBeLessThan(messages.length);
    expect(list.some((message) => foldOf(message) !== undefined)).toBe(true);
  }
});

it("a node that a graph calls without its config still replaces the messages", async () => {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("compact", async (given) => compact(given) as Promise<object>)
    .addEdge(START, "compact")
    .compile();
  const { messages: left } = await graph.invoke({ messages }, inThread("t"));
  expect(left.length).toBeLessThan(messages.length);
});
