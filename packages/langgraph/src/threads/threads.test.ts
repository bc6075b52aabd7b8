import { AIMessage, HumanMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { ContextError, estimateTokens, foldOf, toStoredMessage, unfold } from "@palimpsest/context";
import { carriedIds } from "@palimpsest/context/internal";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { contextInput } from "../run/context-state.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentGraph, agentState, inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { readingJob } from "../testing/reading-job.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { compactThread } from "./compact-thread.js";
import { previewThread } from "./preview-thread.js";
import { readThread } from "./read-thread.js";
import { unfoldThread } from "./unfold-thread.js";

const config = inThread("t");
const stored = (messages: readonly BaseMessage[]) => messages.map((message) => toStoredMessage(message));
const foldsOf = (messages: readonly BaseMessage[]) => messages.flatMap((message) => foldOf(message) ?? []);

/** An agent that has read a book of 20 pages inside a small window. */
async function reader(pages = 20) {
  const files = VirtualFilesystem.inMemory();
  const job = readingJob({ pages, lines: 40 });
  const options = { files, contextWindow: 8_000 };
  const graph = agentGraph({ ...job, compact: compactionNode(options) });
  const { messages } = await graph.invoke({ messages: [job.ask("atlas")] }, config);
  const current = async () => (await graph.getState(config)).values.messages as BaseMessage[];
  return { files, job, graph, options, messages, current, thread: job.thread("atlas") };
}

/** An agent that has said much and folded nothing yet. */
async function talker() {
  const files = VirtualFilesystem.inMemory();
  const model = new ScriptedModel((_, call) => new AIMessage({ id: `end-${call}`, content: "Done." }));
  const options = { files, contextWindow: 50_000 };
  const graph = agentGraph({ model, tools: [], compact: compactionNode(options) });
  const said = history({ steps: 10, result: (step) => filler(1_000, step) });
  await graph.invoke({ messages: said }, config);
  const current = async () => (await graph.getState(config)).values.messages as BaseMessage[];
  return { files, graph, options, model, said, current };
}

describe("readThread", () => {
  it("returns the whole thread as it happened, and changes nothing", async () => {
    const { files, graph, thread, messages, current } = await reader();
    expect(foldsOf(messages).length).toBeGreaterThan(0);
    expect(stored(await readThread(graph, config, { files }))).toEqual(thread);
    expect(await current()).toEqual(messages);
  });

  it("returns an empty list for a thread without messages", async () => {
    const { files, graph } = await reader();
    expect(await readThread(graph, inThread("other"), { files })).toEqual([]);
  });
});

it("a message that the host has removed from beside a summary is in neither readThread nor unfoldThread", async () => {
  const files = VirtualFilesystem.inMemory();
  const model = new ScriptedModel((_, call) => new AIMessage({ id: `a${call}`, content: filler(300, call) }));
  const options = { files, contextWindow: 4_000, trigger: { tokens: 1_500 } };
  const graph = agentGraph({ model, tools: [], compact: compactionNode(options) });
  for (let turn = 0; turn < 6; turn++) {
    const content = turn === 2 ? "My card is 4711." : `Question ${turn}`;
    await graph.invoke({ messages: [new HumanMessage({ id: `u${turn}`, content })] }, config);
  }
  const current = async () => (await graph.getState(config)).values.messages as BaseMessage[];
  expect(foldsOf(await current()).flatMap(carriedIds)).toContain("u2");
  const whole = await readThread(graph, config, { files });
  await graph.updateState(config, { messages: [new RemoveMessage({ id: "u2" })] }, "model");
  const rest = whole.map(({ id }) => id).filter((id) => id !== "u2");
  expect((await readThread(graph, config, { files })).map(({ id }) => id)).toEqual(rest);
  await unfoldThread(graph, config, { ...options, force: true, asNode: "model" });
  expect((await current()).map(({ id }) => id)).toEqual(rest);
});

describe("unfoldThread", () => {
  it("puts the whole thread back when it fits, and the agent goes on from it", async () => {
    const { graph, options, thread, current, job } = await reader();
    const wide = { ...options, contextWindow: 100_000 };
    const result = await unfoldThread(graph, config, wide);
    expect(result).toMatchObject({ applied: true });
    expect(result.tokensAfter).toBeGreaterThan(result.tokensBefore);
    expect(stored(await current())).toEqual(thread);
    await graph.invoke({ messages: [new HumanMessage({ id: "more", content: "Thanks. Now?" })] }, config);
    expect(illegalities(job.model.prompts.at(-1) ?? [])).toEqual([]);
  });

  it("opens nothing that would put the context over its trigger, and says how large the context would be", async () => {
    const { graph, options, messages, current } = await reader();
    const result = await unfoldThread(graph, config, options);
    expect(result).toMatchObject({ applied: false, reason: "budget" });
    expect(result.message).toMatch(/^Unfolding adds \d+ tokens to \d+: the trigger is at 6800\./);
    expect(await current()).toEqual(messages);
    expect(await unfoldThread(graph, config, { ...options, force: true })).toMatchObject({ applied: true });
  });

  it("opens one fold, by id or by path, and one level", async () => {
    const { graph, options, messages, current, thread } = await reader(60);
    const [fold] = foldsOf(messages);
    const wide = { ...options, contextWindow: 100_000 };
    expect(await unfoldThread(graph, config, { ...wide, fold: "nobody" })).toMatchObject({
      applied: false,
      reason: "nothing-to-unfold",
      message: "The context has no fold nobody",
    });
    await unfoldThread(graph, config, { ...wide, fold: String(fold?.path), levels: 1 });
    const once = await current();
    expect(fold?.generation).toBeGreaterThan(1);
    expect(foldsOf(once)[0]?.generation).toBe((fold?.generation ?? 0) - 1);
    await unfoldThread(graph, config, wide);
    expect(stored(await current())).toEqual(thread);
  });

  it("opens a fold inside other folds, those by one level", async () => {
    const { graph, options, files, messages, current } = await reader(60);
    const { archive } = files.thread("t");
    const once = await unfold(messages, (path) => archive.readText(path), { levels: 1 });
    const inner = foldsOf(once)[0];
    expect(foldsOf(messages).map(({ id }) => id)).not.toContain(inner?.id);
    const wide = { ...options, contextWindow: 100_000 };
    const result = await unfoldThread(graph, config, { ...wide, fold: String(inner?.id) });
    expect(result.folds.map(({ id }) => id)).toEqual([foldsOf(messages)[0]?.id, inner?.id]);
    const after = await current();
    expect(foldsOf(after)).not.toContainEqual(expect.objectContaining({ id: inner?.id }));
    expect(illegalities(after)).toEqual([]);
  });

  it.each([
    ["with the channel", agentState],
    ["without it", MessagesAnnotation],
  ])("keeps what it opened until a compaction is due, in a graph %s", async (_, state) => {
    const files = VirtualFilesystem.inMemory();
    const model = new ScriptedModel((_, call) => new AIMessage({ id: `end-${call}`, content: "Done." }));
    const options = { files, contextWindow: 50_000, limits: { offload: 2_000 } };
    const graph = new StateGraph(state as unknown as typeof MessagesAnnotation)
      .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("compact", compactionNode(options))
      .addEdge(START, "compact")
      .addEdge("compact", "model")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ messages: history({ steps: 2, result: () => filler(4_000) }) }, config);
    expect(await unfoldThread(graph, config, options)).toMatchObject({ applied: true });
    const { messages } = await graph.invoke({ messages: [new HumanMessage("And now?")] }, config);
    expect(foldsOf(messages)).toEqual([]);
    expect(estimateTokens(model.prompts.at(-1) ?? [])).toBeGreaterThan(8_000);
  });

  it("does not believe the usage that was reported for the folded context", async () => {
    const { graph, options, current } = await reader();
    await unfoldThread(graph, config, { ...options, force: true });
    const after = estimateTokens(await current());
    const preview = await previewThread(graph, config, options);
    expect(preview.tokensBefore).toBeGreaterThanOrEqual(after);
    expect(preview.due).toBe("trigger");
  });

  it("sends an event, and keeps the earlier checkpoint", async () => {
    const { graph, options, messages } = await reader();
    const before = await graph.getState(config);
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => events.push(event);
    await unfoldThread(graph, config, { ...options, force: true, onEvent });
    expect(events).toEqual([expect.objectContaining({ type: "context.unfold", threadId: "t" })]);
    expect((await graph.getState(before.config)).values.messages).toEqual(messages);
  });
});

describe("compactThread", () => {
  it("compacts a thread that no trigger has met, and loses nothing", async () => {
    const { graph, options, said, files, current } = await talker();
    const before = stored(await current());
    expect(await compactThread(graph, config, options)).toMatchObject({ applied: true });
    expect(estimateTokens(await current())).toBeLessThan(estimateTokens(said));
    expect(stored(await readThread(graph, config, { files }))).toEqual(before);
  });

  it("folds everything above a message, into a summary or into a note", async () => {
    for (const [strategy, kind] of [
      ["summarize", "summary"],
      ["archive", "trim"],
    ] as const) {
      const { graph, options, current, files } = await talker();
      const before = stored(await current());
      const { folds } = await compactThread(graph, config, { ...options, strategy, above: "ai-7" });
      expect(folds.map((fold) => [fold.kind, fold.reason])).toEqual([[kind, "user"]]);
      const after = await current();
      expect(after.map(({ id }) => id).slice(0, 3)).toEqual(["question", folds[0]?.id, "ai-7"]);
      expect(illegalities(after)).toEqual([]);
      expect(stored(await readThread(graph, config, { files }))).toEqual(before);
    }
  });

  it("says why there is nothing to fold, and refuses an unknown message", async () => {
    const { graph, options, current } = await talker();
    const before = await current();
    expect(await compactThread(graph, config, { ...options, above: "ai-0" })).toMatchObject({
      applied: false,
      folds: [],
      reason: "nothing-to-fold",
    });
    const unknown = compactThread(graph, config, { ...options, above: "nobody" });
    await expect(unknown).rejects.toThrow('above is "nobody"');
    await expect(unknown).rejects.toSatisfy((error) => ContextError.isInstance(error));
    expect(await current()).toEqual(before);
  });

  it("reports a thread without messages", async () => {
    const { graph, options } = await talker();
    const empty = { configurable: { thread_id: "nobody" } };
    expect(await compactThread(graph, empty, options)).toMatchObject({
      applied: false,
      reason: "nothing-to-fold",
      message: "The thread has no messages",
    });
  });
});

describe("previewThread", () => {
  it("says what compactThread then does, and writes and calls nothing", async () => {
    const { graph, options, files, current, model } = await talker();
    const request = { above: "ai-7" };
    const before = await current();
    const calls = model.prompts.length;
    const preview = await previewThread(graph, config, { ...options, request });
    await previewThread(graph, config, { ...options, model, request });
    expect(preview).toMatchObject({ due: undefined, contextWindow: 50_000, triggerTokens: 42_500 });
    expect(preview.tokensSaved).toBe(preview.tokensBefore - preview.tokensAfter);
    expect(await current()).toEqual(before);
    expect(model.prompts).toHaveLength(calls);
    const written: string[] = [];
    for await (const { path } of files.thread("t").archive.list()) written.push(path);
    expect(written).toEqual([]);

    const { folds } = await compactThread(graph, config, { ...options, ...request });
    expect(folds).toEqual(
      preview.folds.map((fold) => ({
        ...fold,
        tokensAfter: expect.any(Number) as number,
        seal: expect.any(String) as string,
      })),
    );
    expect((await previewThread(graph, config, options)).tokensBefore).toBe(preview.tokensAfter);
  });

  it("says why nothing would be folded, with the floor", async () => {
    const { graph, options } = await talker();
    const preview = await previewThread(graph, config, { ...options, pin: () => true });
    expect(preview).toMatchObject({ folds: [], tokensSaved: 0, reason: "floor" });
    expect(preview.minimumTokens).toBe(preview.tokensBefore);
    const tight = { ...options, trigger: { tokens: 500 }, keep: { tokens: 50 }, pin: () => true };
    expect(await previewThread(graph, config, tight)).toMatchObject({ due: "trigger", reason: "floor" });
  });
});

it("work on a graph whose channels are registered by the node, and on one without them", async () => {
  for (const input of [{ input: contextInput }, {}]) {
    const files = VirtualFilesystem.inMemory();
    const job = readingJob({ pages: 12, lines: 40 });
    const options = { files, contextWindow: 8_000 };
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }) => ({ messages: [await job.model.invoke(messages)] }))
      .addNode("tools", new ToolNode(job.tools))
      .addNode("compact", compactionNode(options), input as { input: typeof contextInput })
      .addEdge(START, "compact")
      .addEdge("compact", "model")
      .addConditionalEdges("model", toolsCondition)
      .addEdge("tools", "compact")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ messages: [job.ask("atlas")] }, config);
    await compactThread(graph, config, options);
    expect(stored(await readThread(graph, config, { files }))).toEqual(job.thread("atlas"));
    await unfoldThread(graph, config, { ...options, force: true });
    expect(stored((await graph.getState(config)).values.messages)).toEqual(job.thread("atlas"));
    expect((await graph.getState(config)).next).toEqual([]);
  }
});
