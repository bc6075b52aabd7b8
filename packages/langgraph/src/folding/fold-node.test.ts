import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens, foldOf, toStoredMessage, unfold } from "@palimpsest/context";
import { blocksOf, interactionOf, workspaceOf } from "@palimpsest/context/folding";
import { foldNamed } from "@palimpsest/context/internal";
import { addedIllegalities, illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { FailingDriver, unfolded } from "../testing/storage.js";
import { messagesAfter } from "../testing/history.js";
import { playFolding } from "../testing/play-folding.js";
import { readingJob } from "../testing/reading-job.js";
import { unfoldTool } from "../tools/unfold-tool.js";
import { foldNode } from "./fold-node.js";

describe("a StateGraph", () => {
  it.each(["compaction", "folding"])("replaces its compaction by one node: %s", async (name) => {
    const job = readingJob({ pages: 90, parallel: 3, lines: 40 });
    const files = VirtualFilesystem.inMemory();
    const options = { files, contextWindow: 12_000 };
    const compact = name === "folding" ? foldNode(options) : compactionNode(options);
    const graph = agentGraph({ model: job.model, tools: job.tools, compact });
    const { messages } = await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));

    expect(job.model.prompts).toHaveLength(31);
    expect(job.model.prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
    expect(Math.max(...job.model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(12_000);
    expect(await unfolded(messages, files, "t")).toEqual(job.thread("atlas"));
  });

  it("keeps the blocks of two threads apart", async () => {
    const job = readingJob({ pages: 6 });
    const files = VirtualFilesystem.inMemory();
    const compact = foldNode({ files, contextWindow: 12_000 });
    const graph = agentGraph({ model: job.model, tools: job.tools, compact });
    await Promise.all(["a", "b"].map((book) => graph.invoke({ messages: [job.ask(book)] }, inThread(book))));
    const [a, b] = await Promise.all(["a", "b"].map((book) => graph.getState(inThread(book))));
    const text = listOf(a)
      .map((message) => message.text)
      .join("\n");
    expect(text).toContain('"book":"a","page":5');
    expect(text).not.toContain('"book":"b"');
    expect(await unfolded(listOf(b), files, "b")).toEqual(job.thread("b"));
  });
});

describe("granular condensation", () => {
  it("keeps the latest interaction in full and turns each earlier step into a block of at most 65 tokens", async () => {
    const { messages } = await playFolding({ steps: 5 });
    const blocks = blocksOf(messages);
    expect(blocks.map(({ id, startStep, endStep, scale }) => [id, startStep, endStep, scale])).toEqual([
      [1, 1, 1, "micro"],
      [2, 2, 2, "micro"],
      [3, 3, 3, "micro"],
      [4, 4, 4, "micro"],
    ]);
    expect(blocks.every(({ text }) => estimateTokens([new HumanMessage(text)]) <= 65 + 4)).toBe(true);
    expect(workspaceOf(messages).latest.map(({ id }) => id)).toEqual(["ai-5", "result-5"]);
  });

  it("uses the summary of the model if it writes one", async () => {
    const { messages } = await playFolding({
      steps: 3,
      say: (step) => (step === 3 ? '<context>{"range":[2,2],"summary":"the second one"}</context>' : ""),
    });
    expect(
      blocksOf(messages)
        .map(({ text }) => text)
        .at(-1),
    ).toBe("the second one");
  });

  it("changes nothing when it runs twice", async () => {
    const { messages, again } = await playFolding({
      steps: 12,
      say: (step) => (step === 9 ? "<context>{</context>" : ""),
    });
    expect((await again()).messages).toEqual(messages);
  });
});

describe("deep consolidation", () => {
  const calls = [
    ["the paper's form", '<context>{"range":[2,5],"summary":"two to five"}</context>'],
    [
      "the production form",
      '<context>{"fold":{"type":"deep_consolidation","target":{"ids":[2,3,4]},"summary_text":"two to five"}}</context>',
    ],
    [
      "a fence and a trailing comma",
      'Well.\n<context>```json\n{"range":[2,5,],"summary":"two to five",}\n```</context> Next.',
    ],
  ] as const;
  it.each(calls)("follows %s", async (form, text) => {
    const { messages, opened, thread } = await playFolding({
      steps: 6,
      say: (step) => (step === 6 ? text : ""),
    });
    const ranges = blocksOf(messages).map(({ startStep, endStep }) => [startStep, endStep]);
    const last =
      form === "the production form"
        ? [
            [2, 4],
            [5, 5],
          ]
        : [[2, 5]];
    expect(ranges.slice(1)).toEqual(last);
    expect(blocksOf(messages)[1]?.text).toBe("two to five");
    expect(await opened(messages)).toEqual(thread().map((message) => toStoredMessage(message)));
  });

  it("follows a call of fold_context", async () => {
    const { messages } = await playFolding({
      steps: 6,
      call: (step) => (step === 6 ? { range: [1, 5], summary: "all of it" } : undefined),
    });
    expect(blocksOf(messages).map(({ startStep, endStep, text }) => [startStep, endStep, text])).toEqual([
      [1, 5, "all of it"],
    ]);
  });

  it("refuses blocks that are not neighbours, folds the step alone and tells the model why, once", async () => {
    const text =
      '<context>{"fold":{"type":"deep_consolidation","target":{"ids":[1,3]},"summary_text":"x"}}</context>';
    const { messages, events, prompts } = await playFolding({
      steps: 8,
      say: (step) => (step === 6 ? text : ""),
    });
    const told = prompts.map((prompt) => prompt.filter((m) => m.text.includes("are not neighbours")).length);
    expect(told).toEqual([0, 0, 0, 0, 0, 1, 0, 0]);
    expect(blocksOf(messages).map(({ startStep, endStep }) => [startStep, endStep])).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((step) => [step, step]),
    );
    expect(events.filter(({ type }) => type === "context.skip")).toEqual([
      expect.objectContaining({
        reason: "bad-directive",
        message: expect.stringContaining("{1, 2, 3, 4, 5}") as string,
      }),
    ]);
  });

  it("names the valid steps when a range splits a block", async () => {
    const says: Readonly<Record<number, string>> = {
      5: '<context>{"range":[1,3],"summary":"first"}</context>',
      7: '<context>{"range":[2,6],"summary":"x"}</context>',
    };
    const { events } = await playFolding({ steps: 7, say: (step) => says[step] ?? "" });
    const [skip] = events.flatMap((event) => (event.type === "context.skip" ? [event.message] : []));
    expect(skip).toBe(
      "Steps 2 to 6 cannot be folded: a fold starts at a step in {1, 4, 5, 6} and ends at one in {3, 4, 5, 6}.",
    );
  });
});

it("foldNode advises a deep consolidation after ten steps without new results", async () => {
  const { prompts } = await playFolding({
    steps: 16,
    result: (step) => (step < 3 ? `page ${step}` : "Not found"),
  });
  const advised = prompts.flatMap((prompt, index) =>
    prompt.some(({ text }) => text.includes("brought nothing new")) ? [index + 1] : [],
  );
  expect(advised).toEqual([14]);
});

it('foldNode with condense "on-directive" folds nothing until the model asks', async () => {
  const { messages } = await playFolding({
    steps: 7,
    options: { condense: "on-directive" },
    say: (step) => (step === 5 ? '<context>{"range":[2,4],"summary":"mid"}</context>' : ""),
  });
  expect(blocksOf(messages).map(({ startStep, endStep, text }) => [startStep, endStep, text])).toEqual([
    [2, 4, "mid"],
  ]);
  expect(messages.filter((message) => message.getType() === "ai").map(({ id }) => id)).toEqual([
    "ai-1",
    "ai-5",
    "ai-6",
    "ai-7",
  ]);
});

it("foldNode keeps interactions in full as `keep` says, until the model folds them", async () => {
  const { prompts, messages } = await playFolding({
    steps: 12,
    say: (step) => (step === 8 ? '<context>{"range":[5,7],"summary":"five to seven"}</context>' : ""),
    options: { keep: { messages: 6 } },
  });
  expect(standing(prompts[6]!)).toEqual(["ai-5", "ai-6", "ai-7"]);
  expect(standing(prompts[7]!)).toEqual(["ai-8"]);
  expect(standing(messages)).toEqual(["ai-10", "ai-11", "ai-12"]);
  expect(
    blocksOf(messages)
      .map(({ startStep, endStep }) => [startStep, endStep])
      .slice(3),
  ).toEqual([
    [4, 4],
    [5, 7],
    [8, 8],
    [9, 9],
  ]);
});

it("foldNode keeps user messages, and unfolding restores their places", async () => {
  const { messages, opened, thread } = await playFolding({
    steps: 60,
    user: (step) => (step % 7 === 0 ? `Also mind rule ${step}.` : undefined),
    options: { recentBlocks: 2 },
  });
  const said = messages.filter((message) => message.getType() === "human" && foldOf(message) === undefined);
  expect(said).toHaveLength(9);
  expect(blocksOf(messages).some(({ scale }) => scale === "macro")).toBe(true);
  expect(await opened(messages)).toEqual(thread().map((message) => toStoredMessage(message)));
});

it("foldNode keeps the first goal beside a goal that the model states later", async () => {
  const { state, messages } = await playFolding({
    steps: 6,
    say: (step) => (step === 4 ? "<goal>Find the cheapest flight</goal>" : ""),
  });
  expect(state["compaction"]).toMatchObject({
    goals: [
      { text: "Find every value.", step: 0 },
      { text: "Find the cheapest flight", step: 4 },
    ],
  });
  expect(messages[1]?.text).toContain("[GOAL] as stated at step 4: Find the cheapest flight");
});

it("foldNode keeps a pinned step verbatim while it merges its neighbours", async () => {
  const { messages, opened, thread } = await playFolding({
    steps: 50,
    options: { pin: ({ id }) => id === "ai-4", recentBlocks: 1 },
  });
  expect(messages.map(({ id }) => id)).toEqual(expect.arrayContaining(["ai-4", "result-4"]));
  expect(addedIllegalities(thread(), messages)).toEqual([]);
  expect(await opened(messages)).toEqual(thread().map((message) => toStoredMessage(message)));
});

it("foldNode leaves the messages unchanged when the archive refuses a write, and reports it", async () => {
  const events: ContextEvent[] = [];
  const driver = new FailingDriver();
  driver.full = true;
  const files = new VirtualFilesystem({ driver });
  const node = foldNode({ files, contextWindow: 12_000, onEvent: (event) => events.push(event) });
  const messages = [
    new HumanMessage({ id: "q", content: "Go." }),
    new AIMessage({ id: "a1", content: "One." }),
    new HumanMessage({ id: "q2", content: "On." }),
    new AIMessage({ id: "a2", content: "Two." }),
    new HumanMessage({ id: "q3", content: "On." }),
  ];
  const update = await node({ messages }, inThread("t"));
  expect(Object.keys(update)).not.toContain("messages");
  expect(events).toEqual([expect.objectContaining({ type: "context.fail", rung: "archive" })]);
});

it("foldNode adds results as they arrive, several and out of order", () => {
  const ai = new AIMessage({
    content: "Both.",
    tool_calls: ["a", "b"].map((id) => ({ id, name: "open", args: { id } })),
  });
  expect(interactionOf([ai], 1).observation).toBe("(waiting for its result)\n---\n(waiting for its result)");
  expect(interactionOf([ai, resultFor("b")], 1).observation).toBe("(waiting for its result)\n---\npage b");
  expect(interactionOf([ai, resultFor("b"), resultFor("a")], 1).observation).toBe("page a\n---\npage b");
});

it("unfold returns the originals of a block", async () => {
  const { messages, files, thread } = await playFolding({ steps: 5 });
  const { archive } = files.thread("t");
  const second = messages.find((message) => foldOf(message)?.block?.id === 2)!;
  const opened = await unfold([second], (path) => archive.readText(path));
  expect(opened.map((message) => toStoredMessage(message))).toEqual(
    thread()
      .slice(3, 5)
      .map((message) => toStoredMessage(message)),
  );
});

it("the `unfold` tool finds blocks by label, also inside other blocks", async () => {
  const { messages, files } = await playFolding({
    steps: 8,
    say: (step) => (step === 7 ? '<context>{"range":[2,6],"summary":"two to six"}</context>' : ""),
  });
  const tool = unfoldTool({ files });
  const config = { configurable: { thread_id: "t" }, state: { messages } };
  const outer = blocksOf(messages).find(({ scale }) => scale === "macro")!;
  const shown = (await tool.invoke({ fold: `S${outer.id}` }, config as never)) as string;
  expect(shown).toContain("[S3 steps 3-3]");
  const inner = (await tool.invoke({ fold: "S3" }, config as never)) as string;
  expect(inner).toContain("row 7 of page 3: value 23764");
});

function resultFor(id: string): ToolMessage {
  return new ToolMessage({ content: `page ${id}`, tool_call_id: id });
}

function listOf(snapshot: { readonly values: unknown } | undefined): readonly BaseMessage[] {
  return (snapshot?.values as { messages?: BaseMessage[] } | undefined)?.messages ?? [];
}

it("foldNode keeps unfolded blocks open until they exceed the budget", async () => {
  const { messages, state, files } = await playFolding({ steps: 6 });
  const { archive } = files.thread("t");
  const opened = await unfold(messages, (path) => archive.readText(path), { folds: foldNamed("S2") });
  const compaction = { ...(state["compaction"] as object), unfoldedAt: opened.at(-1)!.id };
  const next = [
    new AIMessage({ id: "ai-7", content: "On.", tool_calls: [{ id: "call-7", name: "open", args: {} }] }),
    new ToolMessage({ id: "result-7", content: "page 7", tool_call_id: "call-7" }),
  ];
  const given = { messages: [...opened, ...next], compaction };
  const roomy = foldNode({ files, contextWindow: 64_000 });
  expect(standing(messagesAfter(await roomy(given, inThread("t")), given.messages))).toEqual([
    "ai-2",
    "ai-7",
  ]);
  const narrow = foldNode({ files, contextWindow: 64_000, blockTokens: 400 });
  expect(standing(messagesAfter(await narrow(given, inThread("t")), given.messages))).toEqual(["ai-7"]);
});

it("foldNode keeps a call that waits for its result", async () => {
  const files = VirtualFilesystem.inMemory();
  const node = foldNode({ files, contextWindow: 64_000 });
  const call = new AIMessage({
    id: "ai-1",
    content: "",
    tool_calls: [{ id: "late", name: "open", args: {} }],
  });
  const messages = [
    new HumanMessage({ id: "q", content: "Go." }),
    call,
    ...[2, 3, 4].map((step) => new AIMessage({ id: `ai-${step}`, content: `Meanwhile ${step}.` })),
  ];
  const folded = messagesAfter(await node({ messages }, inThread("t")), messages);
  expect(standing(folded)).toEqual(["ai-1", "ai-4"]);
  const late = new ToolMessage({ id: "r", content: "Here.", tool_call_id: "late" });
  const next = [...folded, late, new AIMessage({ id: "ai-5", content: "Done." })];
  const after = messagesAfter(await node({ messages: next }, inThread("t")), next);
  expect(standing(after)).toEqual(["ai-5"]);
  const thread = [...messages, late, next.at(-1)!];
  expect(await unfolded(after, files, "t")).toEqual(thread.map((message) => toStoredMessage(message)));
});

it("foldNode works in a graph without the channels of contextState", async () => {
  const job = readingJob({ pages: 12 });
  const files = VirtualFilesystem.inMemory();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await job.model.invoke(messages)] }))
    .addNode("tools", new ToolNode(job.tools))
    .addNode("fold", foldNode({ files, contextWindow: 12_000 }))
    .addEdge(START, "fold")
    .addEdge("fold", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "fold")
    .compile({ checkpointer: new MemorySaver() });
  const { messages } = await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));
  expect(blocksOf(messages)).toHaveLength(11);
  expect(await unfolded(messages, files, "t")).toEqual(job.thread("atlas"));
});

it("foldNode with an outputKey keeps the thread whole", async () => {
  const files = VirtualFilesystem.inMemory();
  const node = foldNode({ files, contextWindow: 64_000, outputKey: "context" });
  const { thread } = await playFolding({ steps: 5 });
  const once = await node({ messages: thread().slice(0, 9) }, inThread("t"));
  const twice = await node({ messages: thread(), context: once["context"] }, inThread("t"));
  expect(Object.keys(twice)).not.toContain("messages");
  const context = twice["context"] as BaseMessage[];
  expect(blocksOf(context).map(({ id, startStep }) => [id, startStep])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
  ]);
  expect(await unfolded(context, files, "t")).toEqual(thread().map((message) => toStoredMessage(message)));
});

/** Returns the ids of the AI messages that are in full. */
function standing(messages: readonly BaseMessage[]): readonly (string | undefined)[] {
  return messages.filter((message) => message.getType() === "ai").map(({ id }) => id);
}
