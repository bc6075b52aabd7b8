import type { BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  MemorySaver,
  MessagesAnnotation,
  MessagesDeltaValue,
  MessagesValue,
  MessagesZodMeta,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { withLangGraph } from "@langchain/langgraph/zod";
import { estimateTokens, foldOf, toStoredMessage } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { readingJob, type ReadingJob } from "../testing/reading-job.js";
import { unfolded } from "../testing/storage.js";
import { contextAnnotation, contextInput, contextState, contextZodShape } from "./context-state.js";

const contextWindow = 12_000;
const stateSchema = new StateSchema({ messages: MessagesValue, ...contextState });
const deltaSchema = new StateSchema({ messages: MessagesDeltaValue, ...contextState });
const annotation = Annotation.Root({ ...MessagesAnnotation.spec, ...contextAnnotation });
const zodSchema = z.object({
  messages: withLangGraph(z.custom<BaseMessage[]>(), MessagesZodMeta),
  ...contextZodShape,
});
const plain = Annotation.Root({ ...MessagesAnnotation.spec });
const concatenating = Annotation.Root({
  messages: Annotation<BaseMessage[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});

interface Parts {
  readonly job: ReadingJob;
  readonly files: VirtualFilesystem;
}

const compactNode = ({ files }: Parts) => compactionNode({ files, contextWindow });
const toolsNode = ({ job }: Parts) => new ToolNode(job.tools);
const modelNode =
  ({ job }: Parts) =>
  async ({ messages }: { messages: BaseMessage[] }) => ({ messages: [await job.model.invoke(messages)] });

function stateSchemaHost(parts: Parts) {
  return new StateGraph(stateSchema)
    .addNode("model", modelNode(parts))
    .addNode("tools", toolsNode(parts))
    .addNode("compact", compactNode(parts))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
}

function deltaHost(parts: Parts) {
  return new StateGraph(deltaSchema)
    .addNode("model", modelNode(parts))
    .addNode("tools", toolsNode(parts))
    .addNode("compact", compactNode(parts))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
}

function annotationHost(parts: Parts) {
  return new StateGraph(annotation)
    .addNode("model", modelNode(parts))
    .addNode("tools", toolsNode(parts))
    .addNode("compact", compactNode(parts))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
}

function zodHost(parts: Parts) {
  return new StateGraph(zodSchema)
    .addNode("model", modelNode(parts))
    .addNode("tools", toolsNode(parts))
    .addNode("compact", compactNode(parts))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
}

function zeroMergeHost(parts: Parts) {
  return new StateGraph(plain)
    .addNode("model", modelNode(parts))
    .addNode("tools", toolsNode(parts), { input: contextInput })
    .addNode("compact", compactNode(parts), { input: contextInput })
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
}

function concatenatingHost(parts: Parts) {
  return new StateGraph(concatenating)
    .addNode("model", modelNode(parts))
    .addNode("tools", toolsNode(parts), { input: contextInput })
    .addNode("compact", compactNode(parts), { input: contextInput })
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
}

const hosts = {
  "StateSchema with contextState": stateSchemaHost,
  "StateSchema with MessagesDeltaValue": deltaHost,
  "Annotation with contextAnnotation": annotationHost,
  "zod with contextZodShape": zodHost,
  "Annotation that merges nothing, by contextInput": zeroMergeHost,
  "a host whose reducer only concatenates": concatenatingHost,
};

describe.each(Object.entries(hosts))("%s", (_, host) => {
  it("keeps every prompt legal and inside the window, and loses nothing", async () => {
    const job = readingJob({ pages: 90, parallel: 3, lines: 40 });
    const files = VirtualFilesystem.inMemory();
    const graph = host({ job, files });
    const { messages } = await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));

    expect(job.model.prompts).toHaveLength(31);
    expect(job.model.prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
    expect(Math.max(...job.model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(
      contextWindow,
    );
    expect(messages.some((message) => foldOf(message)?.kind === "summary")).toBe(true);
    expect(await unfolded(messages, files, "t")).toEqual(job.thread("atlas"));
  });

  it("reloads from the checkpoint what it returned", async () => {
    const job = readingJob({ pages: 24, parallel: 2, lines: 40 });
    const files = VirtualFilesystem.inMemory();
    const graph = host({ job, files });
    const { messages } = await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));
    const reloaded = (await graph.getState(inThread("t"))).values as { messages: BaseMessage[] };

    expect(messages.some((message) => foldOf(message) !== undefined)).toBe(true);
    expect(reloaded.messages.map((message) => toStoredMessage(message))).toEqual(
      messages.map((message) => toStoredMessage(message)),
    );
  });
});

it("leaves the state of a host that merges nothing as it was", async () => {
  const job = readingJob({ pages: 2 });
  const graph = zeroMergeHost({ job, files: VirtualFilesystem.inMemory() });
  const result = await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));
  expect(Object.keys(result)).toEqual(["messages"]);
});
