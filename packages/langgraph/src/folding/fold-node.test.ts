import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import {
  blocksOf,
  estimateTokens,
  foldOf,
  interactionOf,
  toStoredMessage,
  unfold,
  workspaceOf,
} from "@palimpsest/context";
import { addedIllegalities, illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { FailingDriver } from "../testing/failing-driver.js";
import { readingJob } from "../testing/reading-job.js";
import { unfolded } from "../testing/unfolded.js";
import { foldNode } from "./fold-node.js";
import { playFolding } from "../testing/play-folding.js";

describe("in a graph of somebody's own", () => {
  it.each(["compaction", "folding"])("swaps in by one node: %s", async (name) => {
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

  it("keeps one thread's blocks from another's", async () => {
    const job = readingJob({ pages: 6 });
    const files = VirtualFilesystem.inMemory();
    const compact = foldNode({ files, contextWindow: 12_000 });
    const graph = agentGraph({ model: job.model, tools: job.tools, compact });
    await Promise.all(["a", "b"].map((book) => graph.invoke({ messages: [job.ask(book)] }, inThread(book))));
    const states = await Promise.all(["a", "b"].map((book) => graph.getState(inThread(book))));
    const texts = states.map(({ values }) =>
      (values as { messages: BaseMessage[] }).messages.map((m) => m.text),
    );
    expect(texts[0]?.join("\n")).toContain("a 5.0: the value");
    expect(texts[0]?.join("\n")).not.toContain("b 5.0: the value");
    expect(await unfolded((states[1]?.values as { messages: BaseMessage[] }).messages, files, "b")).toEqual(
      job.thread("b"),
    );
  });
});

describe("granular condensation", () => {
  it("leaves the latest interaction whole and gives each earlier step a block of at most 65 tokens", async () => {
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

  it("takes the model's own summary when it gives one", async () => {
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
    const ranges = blocksOf(messages).map(({ startStep, endStep, text: own }) => [startStep, endStep, own]);
    const last =
      form === "the production form"
        ? [
            [2, 4, "two to five"],
            [5, 5, expect.any(String)],
          ]
        : [[2, 5, "two to five"]];
    expect(ranges.slice(1)).toEqual(last);
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

  it("refuses blocks that are not neighbours, folds the step on its own and tells the model why, once", async () => {
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
        because: "bad-directive",
        message: expect.stringContaining("{1, 2, 3, 4}") as string,
      }),
    ]);
  });

  it("names the legal steps when a range cuts a block", async () => {
    const say = (step: number) =>
      step === 5
        ? '<context>{"range":[1,3],"summary":"first"}</context>'
        : step === 7
          ? '<context>{"range":[2,6],"summary":"x"}</context>'
          : "";
    const { events } = await playFolding({ steps: 7, say });
    const [skip] = events.flatMap((event) => (event.type === "context.skip" ? [event.message] : []));
    expect(skip).toBe(
      "Steps 2 to 6 cannot be folded: a fold starts at a step in {1, 4, 5, 6} and ends at one in {3, 4, 5, 6}.",
    );
  });
});

it("advises a deep consolidation after ten steps that brought nothing", async () => {
  const { prompts } = await playFolding({
    steps: 16,
    result: (step) => (step < 3 ? `page ${step}` : "Not found"),
  });
  const advised = prompts.flatMap((prompt, index) =>
    prompt.some(({ text }) => text.includes("brought nothing new")) ? [index + 1] : [],
  );
  expect(advised).toEqual([14]);
});

it("leaves interactions alone until the model asks, when it is told to", async () => {
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

it("keeps the user's words, in place when all is opened", async () => {
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

it("keeps the first goal beside the one that the model states later", async () => {
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

it("keeps a pinned step verbatim, also when its neighbours are merged", async () => {
  const { messages, opened, thread } = await playFolding({
    steps: 50,
    options: { pin: ({ id }) => id === "ai-4", recentBlocks: 1 },
  });
  expect(messages.map(({ id }) => id)).toEqual(expect.arrayContaining(["ai-4", "result-4"]));
  expect(addedIllegalities(thread(), messages)).toEqual([]);
  expect(await opened(messages)).toEqual(thread().map((message) => toStoredMessage(message)));
});

it("leaves the messages as they are when the archive refuses, and says so", async () => {
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

it("fills in observations as they arrive, several and out of order", () => {
  const call = (id: string) => ({ id, name: "open", args: { id } });
  const ai = new AIMessage({ content: "Both.", tool_calls: [call("a"), call("b")] });
  const result = (id: string) => new ToolMessage({ content: `page ${id}`, tool_call_id: id });
  expect(interactionOf([ai], 1).observation).toBe("(waiting for its result)\n---\n(waiting for its result)");
  expect(interactionOf([ai, result("b")], 1).observation).toBe("(waiting for its result)\n---\npage b");
  expect(interactionOf([ai, result("b"), result("a")], 1).observation).toBe("page a\n---\npage b");
});

it("opens a block to its originals with the unfold of everything else", async () => {
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
