import { AIMessage, HumanMessage, type AIMessageChunk } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { readingJob } from "../testing/reading-job.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import type { ContextEvent } from "../context-event.js";
import { reporter } from "./reporter.js";
import { resolveOptions } from "../options/resolve-options.js";

const summarizer = () => new ScriptedModel(() => new AIMessage("## Findings\n- SECRETSUMMARY of the pages"));

it("sends the same events to onEvent and to the custom stream, each fold with its path and sizes", async () => {
  const job = readingJob({ pages: 40, lines: 30 });
  const events: ContextEvent[] = [];
  const files = VirtualFilesystem.inMemory();
  const compact = compactionNode({ files, contextWindow: 9_000, onEvent: (event) => events.push(event) });
  const graph = agentGraph({ model: job.model, tools: job.tools, compact });
  const streamed: unknown[] = [];
  const stream = await graph.stream(
    { messages: [job.ask("atlas")] },
    { ...inThread("t"), streamMode: "custom" },
  );
  for await (const chunk of stream) streamed.push(chunk);
  const folds = events.flatMap((event) => (event.type === "context.fold" ? [event] : []));
  const { archive } = files.thread("t");

  expect(streamed).toEqual(events);
  expect(folds.length).toBeGreaterThan(1);
  expect(await Promise.all(folds.map(({ fold }) => archive.has(fold.path)))).toEqual(folds.map(() => true));
  expect(folds.filter(({ fold }) => fold.tokensAfter >= fold.tokensBefore)).toEqual([]);
});

it("shows neither the summary's tokens nor the rewritten messages in the message stream", async () => {
  const job = readingJob({ pages: 40, lines: 30 });
  const model = summarizer();
  const compact = compactionNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow: 9_000,
    model,
    trigger: { messages: 20 },
    keep: { messages: 4 },
  });
  const graph = agentGraph({ model: job.model, tools: job.tools, compact });
  const stream = await graph.stream(
    { messages: [job.ask("atlas")] },
    { ...inThread("t"), streamMode: "messages" },
  );
  const texts: string[] = [];
  const nodes = new Set<unknown>();
  const ids: (string | undefined)[] = [];
  for await (const [chunk, metadata] of stream as AsyncIterable<[AIMessageChunk, Record<string, unknown>]>) {
    texts.push(chunk.text);
    nodes.add(metadata["langgraph_node"]);
    ids.push(...(chunk.getType() === "tool" ? [chunk.id] : []));
    expect(foldOf(chunk)).toBeUndefined();
  }

  expect(model.prompts.length).toBeGreaterThan(2);
  expect(texts.join("")).not.toContain("SECRETSUMMARY");
  expect(texts.join("")).toContain("Reading 1 pages from 40 on.");
  expect(nodes).toEqual(new Set(["model", "tools"]));
  expect(ids).toHaveLength(40);
  expect(new Set(ids).size).toBe(40);
});

it("shows the tokens of a model that is called without our tags, as a control", async () => {
  const model = summarizer();
  const compact = async () => (await model.invoke("Summarize"), {});
  const graph = agentGraph({ model: new ScriptedModel(() => new AIMessage("done")), tools: [], compact });
  const stream = await graph.stream(
    { messages: [new HumanMessage("go")] },
    { ...inThread("t"), streamMode: "messages" },
  );
  const texts: string[] = [];
  for await (const [chunk] of stream as AsyncIterable<[AIMessageChunk, unknown]>) texts.push(chunk.text);
  expect(texts.join("")).toContain("SECRETSUMMARY");
});

it("goes on when a listener throws or rejects", async () => {
  const files = VirtualFilesystem.inMemory();
  const big = tool(() => filler(21_000), { name: "big", schema: z.object({}) });
  for (const onEvent of [() => raise(new Error("sync")), async () => raise(new Error("async"))]) {
    const call = { id: "c", name: "big", args: {} };
    const model = new ScriptedModel(
      (_, at) => new AIMessage({ content: "ok", tool_calls: at === 0 ? [call] : [] }),
    );
    const compact = compactionNode({ files, contextWindow: 200_000, onEvent });
    const graph = agentGraph({ model, tools: [big], compact });
    const { messages } = await graph.invoke(
      { messages: [new HumanMessage("go")] },
      inThread(`t-${onEvent.name}`),
    );
    expect(messages.some((message) => foldOf(message))).toBe(true);
  }
});

it("reaches the other listener when one fails", () => {
  const written: unknown[] = [];
  const options = resolveOptions({
    files: VirtualFilesystem.inMemory(),
    contextWindow: 9_000,
    onEvent: () => raise(new Error("no")),
  });
  reporter(options, { writer: (chunk) => void written.push(chunk) }, { threadId: "t" }).fail(
    "archive",
    "full",
  );
  expect(written).toEqual([
    { type: "context.fail", rung: "archive", error: "full", next: "none", threadId: "t" },
  ]);
});

function raise(error: Error): never {
  throw error;
}

function compacting() {
  const job = readingJob({ pages: 40, lines: 30 });
  const events: ContextEvent[] = [];
  const model = summarizer();
  const compact = compactionNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow: 9_000,
    model,
    trigger: { messages: 20 },
    keep: { messages: 4 },
    onEvent: (event) => events.push(event),
  });
  const graph = agentGraph({ model: job.model, tools: job.tools, compact });
  return { graph, input: { messages: [job.ask("atlas")] }, model, events };
}

describe("the calls of the summary model in a graph", () => {
  it("are distinguished in streamEvents by tag, run name and category", async () => {
    const { graph, input, model } = compacting();
    const options = { ...inThread("t"), version: "v2" as const };
    const stream = graph.streamEvents(input, options, { includeTags: ["palimpsest:summary"] });
    const seen: { event: string; name: string; category: unknown }[] = [];
    for await (const { event, name, metadata } of stream) {
      seen.push({ event, name, category: metadata["category"] });
    }
    const starts = seen.filter(({ event }) => event === "on_chat_model_start");
    expect(starts).toHaveLength(model.prompts.length);
    expect(new Set(seen.map(({ name, category }) => `${name} ${String(category)}`))).toEqual(
      new Set(["palimpsest:summary system"]),
    );
  });

  it("are in the event of the compaction with the tokens that the provider reports", async () => {
    const { graph, input, model, events } = compacting();
    await graph.invoke(input, inThread("t"));
    const compactions = events.filter((event) => event.type === "context.compaction");
    expect(compactions.length).toBeGreaterThan(0);
    expect(compactions.map(({ reason, strategy }) => `${reason} ${strategy}`)).toEqual(
      compactions.map(() => "trigger summarize"),
    );
    const input_tokens = model.prompts.map((prompt) => estimateTokens(prompt));
    const usage = events.flatMap((event) => (event.type === "context.summary" ? [event.usage] : []));
    expect(usage.reduce((sum, { calls }) => sum + calls, 0)).toBe(model.prompts.length);
    expect(usage.map(({ inputTokens }) => inputTokens)).toEqual(input_tokens);
    expect(compactions[0]).toMatchObject({ usage: { ...usage[0], outputTokens: 10 } });
  });

  it("are stored in the fold, with their tokens", async () => {
    const { graph, input, events } = compacting();
    const { messages } = await graph.invoke(input, inThread("t"));
    const spent = events.flatMap((event) => (event.type === "context.summary" ? [event.usage] : []));
    const kept = messages.flatMap((message) => foldOf(message)?.usage ?? []);
    expect(kept).toEqual([spent.at(-1)]);
  });
});
