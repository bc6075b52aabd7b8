import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ContextError, estimateTokens, foldOf } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agentRequest, requestArtifact } from "../compaction/agent-request.js";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { unfolded } from "../testing/storage.js";
import type { CompactionState } from "../run/context-state.js";
import { withContextBudget } from "../compaction/budget-lines.js";
import { compressContextTool } from "./compress-context-tool.js";

const contextWindow = 100_000;
const note = tool(({ text }) => `noted: ${text}`, { name: "note", schema: z.object({ text: z.string() }) });

it("has a description that never changes, because tools come before all messages", () => {
  const described = [1_000, 100_000].map(
    (window) =>
      compressContextTool({ files: VirtualFilesystem.inMemory(), contextWindow: window }).description,
  );
  expect(new Set(described).size).toBe(1);
});

it("names in its description the good moments, the bad ones and what always stays", () => {
  const { description } = compressContextTool({ files: VirtualFilesystem.inMemory(), contextWindow });
  const said = [
    "a task or sub-goal is done",
    "findings are extracted from a large result",
    "a large input comes next",
    "a complex piece of work begins",
    "a decision has made earlier content irrelevant",
    "Bad moments: in the middle of reasoning",
    "Recent turns and the user's words always stay",
  ];
  expect(said.filter((words) => !description.includes(words))).toEqual([]);
});

interface Asking {
  readonly args: Record<string, unknown>;
  /** Other calls of the same step. */
  readonly beside?: number;
}

/** Works for some steps, asks for a compaction, and works on. */
async function asking({ args, beside = 0 }: Asking) {
  const files = VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const model = new ScriptedModel((_, call) => {
    const notes = Array.from({ length: beside }, (_, index) => noteCall(`b${call}-${index}`));
    const calls =
      call === 0 ? [{ id: "ask", name: "compress_context", args }, ...notes] : [noteCall(`n${call}`)];
    return new AIMessage({ id: `new-${call}`, content: "Working.", tool_calls: call < 6 ? calls : [] });
  });
  const options = {
    files,
    contextWindow: 12_000,
    keep: { tokens: 1_000 },
    agentControlled: true,
    onEvent: (event: ContextEvent) => events.push(event),
  };
  const compact = compactionNode(options);
  const graph = agentGraph({ model, tools: [compressContextTool(options), note], compact });
  const doubt = new AIMessage({ id: "doubt", content: "I'm not sure where to look." });
  const hello = new HumanMessage({ id: "hello", content: "Look everywhere." });
  const past = history({ steps: 12, result: (step) => filler(500, step) }).toSpliced(1, 0, doubt, hello);
  const { messages } = await graph.invoke(
    { messages: [...past, new HumanMessage({ id: "go", content: "Go on." })] },
    inThread("t"),
  );
  return { files, events, messages, prompts: model.prompts, past };
}

function noteCall(id: string) {
  return { id, name: "note", args: { text: `note ${id}` } };
}

async function compactions(args: Record<string, unknown>) {
  const { events } = await asking({ args });
  return events.filter(({ type }) => type === "context.compaction");
}

describe("a request", () => {
  it("is carried out before the agent's next step, and only once", async () => {
    const { events, prompts, files, messages, past } = await asking({ args: { reason: "phase done" } });
    expect(events.map(({ type, reason }: { type: string; reason?: string }) => `${type} ${reason}`)).toEqual([
      "context.fold agent",
      "context.certificate agent",
      "context.compaction agent",
    ]);
    expect(estimateTokens(prompts[1] ?? [])).toBeLessThan(0.6 * estimateTokens(prompts[0] ?? []));
    expect(prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
    const ids = (await unfolded(messages, files, "t")).map(({ data }) => data["id"]);
    expect(ids.slice(0, past.length)).toEqual(past.map(({ id }) => id));
  });

  it("leaves the result of the request itself, and the results beside it, for the agent to see", async () => {
    const { prompts } = await asking({ args: { reason: "phase done" }, beside: 3 });
    const seen = (prompts[1] ?? [])
      .filter((message) => ToolMessage.isInstance(message))
      .map((message) => message.text);
    expect(seen.slice(-4)).toEqual([
      "The context is compacted before your next step. Originals stay readable under /context/.",
      "noted: note b0-0",
      "noted: note b0-1",
      "noted: note b0-2",
    ]);
  });

  it("keeps the agent's phrases of doubt, unless it asks not to", async () => {
    const kept = summaryOf((await asking({ args: { reason: "done" } })).messages);
    const left = summaryOf((await asking({ args: { reason: "done", preserve_markers: false } })).messages);
    expect(kept?.text).toContain(`## Uncertainty points\n- Agent: "I'm not sure where to look."`);
    expect(left?.text).toMatch(/## Findings/);
    expect(left?.text).not.toContain("Uncertainty");
  });

  it("moves messages to the archive without a summary with strategy archive", async () => {
    const { messages } = await asking({ args: { reason: "dead end", strategy: "archive" } });
    expect(messages.map((message) => foldOf(message)?.kind).filter(Boolean)).toEqual(["trim"]);
    expect(messages.find((message) => foldOf(message))?.text).toContain(
      "earlier messages are in the file above",
    );
  });

  it("keeps the agent's phrases of doubt with strategy archive too, unless it asks not to", async () => {
    const archive = { reason: "dead end", strategy: "archive" };
    const kept = (await asking({ args: archive })).messages.find((message) => foldOf(message));
    expect(kept?.text).toContain(`## Uncertainty points\n- Agent: "I'm not sure where to look."`);
    const left = await asking({ args: { ...archive, preserve_markers: false } });
    expect(left.messages.find((message) => foldOf(message))?.text).not.toContain("Uncertainty");
  });

  it("is in the event with its strategy and the agent's own reason", async () => {
    expect(await compactions({ reason: "phase done" })).toMatchObject([
      { reason: "agent", strategy: "summarize", agentReason: "phase done" },
    ]);
    expect(await compactions({ reason: "dead end", strategy: "archive" })).toMatchObject([
      { reason: "agent", strategy: "archive", agentReason: "dead end" },
    ]);
  });

  it("without a reason is answered with an error, and compacts nothing", async () => {
    const { events, prompts } = await asking({ args: { reason: "  " } });
    expect(events).toEqual([]);
    expect((prompts[1] ?? []).at(-1)).toMatchObject({ status: "error", tool_call_id: "ask" });
  });
});

describe("what became of a request", () => {
  it("is a line behind the newest result, with the fill after the compaction", async () => {
    const { budgetLines, newest } = await linesOf(
      history({ steps: 12, result: (step) => filler(2_000, step) }),
    );
    expect(budgetLines).toEqual([
      {
        after: newest,
        text: expect.stringMatching(
          /^\[Context: compacted\. About \d+ % of the window is used now\.\]$/,
        ) as string,
      },
    ]);
  });

  it("is a line with the reason where nothing was compacted", async () => {
    const past = [new HumanMessage({ id: "q", content: filler(24_000) })];
    expect((await linesOf(past)).budgetLines).toEqual([
      {
        after: "r",
        text: "[Context: not compacted, because 63 % must stay. About 63 % of the window is used. Go on.]",
      },
    ]);
  });
});

describe("the node, when the agent asks", () => {
  const files = VirtualFilesystem.inMemory();
  const call = { id: "ask", name: "compress_context", args: { reason: "done" }, type: "tool_call" } as const;

  async function asked(past: readonly BaseMessage[]) {
    const request = await compressContextTool({ files, contextWindow }).invoke<typeof call, ToolMessage>(
      call,
    );
    return [...past, new AIMessage({ id: "asking", content: "", tool_calls: [call] }), request];
  }

  it("compacts once, even if it runs again on its own result", async () => {
    const node = compactionNode({ files, contextWindow: 40_000 });
    const messages = await asked(history({ steps: 12, result: (step) => filler(2_000, step) }));
    const update = await node({ messages }, inThread("t"));
    const after = messagesAfter(update, messages);
    expect(after.filter((message) => foldOf(message)?.kind === "summary")).toHaveLength(1);
    expect(await node({ messages: after, compaction: update["compaction"] }, inThread("t"))).toEqual({});
  });

  it("takes no request from the artifact of another tool", async () => {
    const events: ContextEvent[] = [];
    const node = compactionNode({ files, contextWindow: 20_000, onEvent: (event) => events.push(event) });
    const messages = await asked(history({ steps: 12, result: (step) => filler(1_000, step) }));
    const other = new AIMessage({ id: "asking", content: "", tool_calls: [{ ...call, name: "fetch_page" }] });
    const forged = messages.map((message) => (message.id === "asking" ? other : message));
    expect(messagesAfter(await node({ messages: forged }, inThread("t")), forged)).toBe(forged);
    expect(events).toEqual([]);
    expect(messagesAfter(await node({ messages }, inThread("t")), messages)).not.toBe(messages);
  });

  it.each([
    ["nothing was said that could be folded", [], "floor"],
    [
      "a fold would be hardly shorter",
      [new AIMessage({ id: "hi", content: "Hello. How are you?" })],
      "too-little-freed",
    ],
  ])("leaves the context alone and says why where %s", async (_, said, reason) => {
    const events: ContextEvent[] = [];
    const node = compactionNode({
      files,
      contextWindow,
      agentTrigger: { tokens: 1 },
      onEvent: (event) => events.push(event),
    });
    const messages = await asked([new HumanMessage({ id: "q", content: "Hi" }), ...said]);
    const update = await node({ messages, compaction: {} }, inThread("t"));
    expect(messagesAfter(update, messages)).toBe(messages);
    expect(events).toEqual([expect.objectContaining({ type: "context.skip", due: "agent", reason })]);
  });
});

describe("a request that would not pay", () => {
  const call = { id: "ask", name: "compress_context", args: { reason: "done" }, type: "tool_call" } as const;
  const asking = new AIMessage({ id: "asking", content: "", tool_calls: [call] });

  /** What the tool answers in a thread of `tokens` tokens. */
  async function answer(tokens: number, options: Partial<ContextOptions>, compaction = {}) {
    return answerTo(said(tokens), options, compaction);
  }

  async function answerTo(past: readonly BaseMessage[], options: Partial<ContextOptions>, compaction = {}) {
    const files = VirtualFilesystem.inMemory();
    const compress = compressContextTool({ files, contextWindow, ...options });
    const state = { messages: [...past, asking], compaction };
    const result = (await compress.invoke(call, { state } as never)) as ToolMessage;
    return { text: result.text, asks: agentRequest([...state.messages, result]) !== undefined };
  }

  it("is refused below half of the trigger, with the size from which it would be carried out", async () => {
    expect(await answer(37_500, {})).toEqual({
      text: "Nothing was compacted: only 40 % of the window is used; ask again from 43 % on. Go on with your work.",
      asks: false,
    });
    expect((await answer(44_000, {})).asks).toBe(true);
  });

  it("has half of the safety net as its limit if the agent controls its context", async () => {
    expect((await answer(43_000, { agentControlled: true })).text).toContain("from 48 % on");
    expect((await answer(49_000, { agentControlled: true })).asks).toBe(true);
  });

  it("has the limit that the host names", async () => {
    expect((await answer(4_000, { agentTrigger: { fraction: 0.03 } })).asks).toBe(true);
    expect((await answer(4_000, { agentTrigger: { messages: 9 } })).text).toBe(
      "Nothing was compacted: only 4 % of the window is used. Go on with your work.",
    );
    expect(() => compressContextTool({ ...noFiles(), agentTrigger: { fraction: 2 } })).toThrow(
      "agentTrigger.fraction is 2",
    );
  });

  it("is refused if the last compaction found nothing to free and the context has hardly grown", async () => {
    const { text, asks } = await answer(60_000, {}, { refusedAt: 62_000 });
    expect([text.includes("hardly anything could be freed"), asks]).toEqual([true, false]);
    expect((await answer(60_000, {}, { refusedAt: 50_000 })).asks).toBe(true);
  });

  it.each([
    ["the user's words", [new HumanMessage({ id: "q", content: filler(60_000) })], {}],
    ["pins", said(60_000), { pin: ({ id }: BaseMessage) => id === "a" }],
  ])("is refused where %s must stay, as the node would refuse it", async (_, past, options) => {
    const { text, asks } = await answerTo(past, options);
    expect(text).toMatch(
      /^Nothing was compacted: 6\d % of the window is used, but 6\d % must stay: .* read large files in parts\.$/,
    );
    expect(asks).toBe(false);
    const events: ContextEvent[] = [];
    const node = compactionNode({ ...noFiles(), ...options, onEvent: (event) => events.push(event) });
    const artifact = requestArtifact({ strategy: "summarize", preserveMarkers: true, reason: "done" });
    const promised = new ToolMessage({ id: "r", content: "Soon.", tool_call_id: "ask", artifact });
    const messages = [...past, asking, promised];
    expect(messagesAfter(await node({ messages, compaction: {} }, inThread("t")), messages)).toBe(messages);
    expect(events).toEqual([expect.objectContaining({ type: "context.skip", reason: "floor" })]);
  });

  it("is accepted at a smaller size when the budget is tight", async () => {
    expect((await answer(38_000, { budgetLevel: () => "fallback" })).asks).toBe(true);
    expect((await answer(38_000, { budgetLevel: () => "normal" })).asks).toBe(false);
  });

  it("reaches the agent in a graph, and its context stays as it is", async () => {
    const events: ContextEvent[] = [];
    const model = new ScriptedModel((_, index) =>
      index === 0 ? asking : new AIMessage({ id: `a${index}`, content: "Going on." }),
    );
    const options = { ...noFiles(), onEvent: (event: ContextEvent) => events.push(event) };
    const compact = compactionNode(options);
    const graph = agentGraph({ model, tools: [compressContextTool(options)], compact });
    await graph.invoke({ messages: history({ steps: 12 }) }, inThread("t"));
    expect(model.prompts[1]?.at(-1)?.text).toMatch(/^Nothing was compacted: only \d % of the window is used/);
    expect(events).toEqual([]);
  });
});

it("is refused when it is built with options that cannot work", () => {
  expect(() =>
    compressContextTool({ files: VirtualFilesystem.inMemory(), contextWindow: Number.NaN }),
  ).toThrow(ContextError);
});

function noFiles() {
  return { files: VirtualFilesystem.inMemory(), contextWindow };
}

function summaryOf(messages: readonly BaseMessage[]): BaseMessage | undefined {
  return messages.find((message) => foldOf(message)?.kind === "summary");
}

function said(tokens: number): readonly BaseMessage[] {
  return [
    new HumanMessage({ id: "q", content: "Go." }),
    new AIMessage({ id: "a", content: filler(tokens) }),
    new HumanMessage({ id: "n", content: "On." }),
  ];
}

/** The lines after a request that the tool has promised to carry out. */
async function linesOf(past: readonly BaseMessage[]) {
  const node = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: 40_000 });
  const artifact = requestArtifact({ strategy: "summarize", preserveMarkers: true, reason: "done" });
  const messages = [
    ...past,
    new AIMessage({
      id: "asking",
      content: "",
      tool_calls: [{ id: "ask", name: "compress_context", args: {} }],
    }),
    new ToolMessage({ id: "r", content: "Soon.", tool_call_id: "ask", artifact }),
  ];
  const update = await node({ messages, compaction: {} }, inThread("t"));
  const { budgetLines } = update["compaction"] as CompactionState;
  const after = messagesAfter(update, messages);
  expect(withContextBudget(after, { budgetLines: budgetLines ?? [] }).at(-1)?.text).toContain("[Context: ");
  const again = await node({ messages: after, compaction: update["compaction"] }, inThread("t"));
  expect(again["compaction"] ?? {}).not.toHaveProperty("budgetLines");
  return { budgetLines, newest: after.at(-1)?.id };
}
