import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { compactionNode } from "./nodes/compaction-node.js";
import { agentGraph, inThread } from "./testing/agent-graph.js";
import { readingJob } from "./testing/reading-job.js";
import { ScriptedModel } from "./testing/scripted-model.js";
import { unfolded } from "./testing/storage.js";
import { fileTools } from "./tools/file-tools.js";
import { newScope, threadIdOf } from "./run-config.js";

const contextWindow = 9_000;

describe("one compiled graph", () => {
  it("serves eight threads at once without mixing their archives or their contexts", async () => {
    const job = readingJob({ pages: 30, parallel: 2, lines: 30 });
    const files = VirtualFilesystem.inMemory();
    const graph = agentGraph({
      model: job.model,
      tools: job.tools,
      compact: compactionNode({ files, contextWindow }),
    });
    const books = ["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"];
    const states = await Promise.all(
      books.map((book) => graph.invoke({ messages: [job.ask(book)] }, inThread(`thread of ${book}`))),
    );
    for (const [index, book] of books.entries()) {
      const messages = states[index]?.messages ?? [];
      expect(messages.some((message) => foldOf(message))).toBe(true);
      expect(await unfolded(messages, files, `thread of ${book}`)).toEqual(job.thread(book));
      const others = books.filter((other) => other !== book);
      const archived: string[] = [];
      for await (const { path } of files.thread(`thread of ${book}`).archive.list()) archived.push(path);
      const texts = await Promise.all(
        archived.map((path) => files.thread(`thread of ${book}`).archive.readText(path)),
      );
      expect(archived.length).toBeGreaterThan(1);
      expect(others.filter((other) => texts.join("\n").includes(`${other} 1.`))).toEqual([]);
    }
  });

  it("keeps the files of one thread out of another", async () => {
    const files = VirtualFilesystem.inMemory();
    const model = new ScriptedModel((messages) => {
      const write = messages.some((message) => message.text === "write");
      const args = { path: "/mine.md", content: "x" };
      const calls = [{ id: "c", name: write ? "write_file" : "read_file", args }];
      const done = messages.some((message) => message.getType() === "tool");
      return new AIMessage({ content: "Working.", tool_calls: done ? [] : calls });
    });
    const compact = compactionNode({ files, contextWindow });
    const graph = agentGraph({ model, tools: fileTools({ files }), compact });
    await graph.invoke({ messages: [new HumanMessage("write")] }, inThread("a"));
    const { messages } = await graph.invoke({ messages: [new HumanMessage("read")] }, inThread("b"));
    expect(messages.find((message) => message.getType() === "tool")?.text).toMatch(/^Error: /);
  });
});

it("lets a run without thread_id and checkpointer fold, and find its own archive again", async () => {
  const job = readingJob({ pages: 30, lines: 30 });
  const files = VirtualFilesystem.inMemory();
  const compact = compactionNode({ files, contextWindow });
  const graph = agentGraph({ model: job.model, tools: job.tools, compact, checkpointer: false });
  const { messages, compaction } = await graph.invoke(
    { messages: [job.ask("atlas")] },
    { recursionLimit: 200 },
  );
  expect(Math.max(...job.model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(contextWindow);
  expect(await unfolded(messages, files, compaction.scope ?? "")).toEqual(job.thread("atlas"));
});

it("names a thread by its thread_id, or else by the random scope in its state, or not at all", () => {
  const scope = newScope();
  expect(threadIdOf({ configurable: { thread_id: "t" } }, scope)).toBe("t");
  expect(threadIdOf({ configurable: { thread_id: 7 } }, scope)).toBe("7");
  expect(threadIdOf({ configurable: { thread_id: "" } }, scope)).toBe(scope);
  expect(threadIdOf(undefined, scope)).toBe(scope);
  expect(threadIdOf(undefined, "run-1")).toBeUndefined();
  expect(threadIdOf(undefined, "t")).toBeUndefined();
});

it("keeps two runs without a thread_id apart, even if their first messages have the same id", async () => {
  const files = VirtualFilesystem.inMemory();
  const run = async (book: string) => {
    const job = readingJob({ pages: 12, lines: 60 });
    const compact = compactionNode({ files, contextWindow });
    const graph = agentGraph({ model: job.model, tools: job.tools, compact, checkpointer: false });
    const ask = new HumanMessage({ ...job.ask(book).lc_kwargs, id: "1" });
    return graph.invoke({ messages: [ask] }, { recursionLimit: 200 });
  };
  const states = [await run("atlas"), await run("bible")];
  const [first, second] = states.map(({ compaction }) => compaction.scope ?? "");
  expect(first).not.toBe(second);
  const paths = states.map(({ messages }) => messages.flatMap((message) => foldOf(message)?.path ?? []));
  expect(paths[0]?.length).toBeGreaterThan(0);
  for (const path of paths[0] ?? []) {
    expect(await files.archive(first ?? "").has(path)).toBe(true);
    expect(await files.archive(second ?? "").has(path)).toBe(false);
  }
});
