import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { ContextError, copyMessage } from "@palimpsest/context";
import { isSummary } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it, vi } from "vitest";
import { z } from "zod";
import { compactionCondition } from "../../conditions/compaction-condition.js";
import type { ContextEvent } from "../../context-event.js";
import type { ContextOptions } from "../../options/context-options.js";
import type { CompactionState } from "../../run/context-state.js";
import { compactionNode } from "../../nodes/compaction-node.js";
import { agentGraph, inThread } from "../../testing/agent-graph.js";
import { FailingDriver, unfolded } from "../../testing/storage.js";
import { filler, history, messagesAfter } from "../../testing/history.js";
import { ScriptedModel } from "../../testing/scripted-model.js";
import { stopPreparing } from "./background-jobs.js";
import { preparedPath } from "@palimpsest/context/internal";

const contextWindow = 12_000;
const record = "## Findings\n- Every tenth row is a multiple of seven";

/** A summary model that answers when it is told to. */
function heldModel() {
  const calls: { readonly answer: (text: string) => void; readonly signal: AbortSignal | undefined }[] = [];
  const model: NonNullable<ContextOptions["model"]> = {
    // Large enough to be asked once.
    profile: { maxInputTokens: 100_000 },
    invoke: (_prompt, options) =>
      new Promise<BaseMessage>((resolve) => {
        calls.push({ answer: (text) => resolve(new AIMessage(text)), signal: options?.signal });
      }),
  };
  return { model, calls };
}

/** A history whose weight is in what the model said: no rung below a summary makes it much shorter. */
function talk(steps: number): BaseMessage[] {
  return history({ steps }).map((message, at) =>
    message.getType() === "ai" ? copyMessage(message, { content: filler(270, at) }) : message,
  );
}

/** Two thirds of the window, and nine tenths of it. */
const grown = talk(40);
const early = grown.slice(0, 1 + 2 * 24);
const late = grown.slice(0, 1 + 2 * 35);

function setUp(options: Partial<ContextOptions> = {}) {
  const events: ContextEvent[] = [];
  const held = heldModel();
  const files = options.files ?? VirtualFilesystem.inMemory();
  const onEvent = (event: ContextEvent) => events.push(event);
  const keep = { tokens: 1_500 };
  const common = { files, model: held.model, contextWindow, keep, prepareAt: 0.6, onEvent, ...options };
  const node = compactionNode(common);
  const steps = () => events.flatMap((event) => (event.type === "context.prepare" ? [event.step] : []));
  return { ...held, files, node, common, events, steps };
}

function stateOf(update: Record<string, unknown>): CompactionState {
  return update["compaction"] as CompactionState;
}

/** Lets everything that waits for nothing but itself go on. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
}

it("starts without waiting, and is applied at once when the compaction is due", async () => {
  const { node, calls, steps, files, events } = setUp();
  const begun = await node({ messages: early, compaction: {} }, inThread("t"));
  expect(messagesAfter(begun, early)).toBe(early);
  expect(early.map(({ id }) => id)).toContain(stateOf(begun).prepared?.upTo);
  expect(steps()).toEqual(["started"]);
  // It is begun once.
  expect(await node({ messages: early, compaction: stateOf(begun) }, inThread("t"))).toEqual({});
  expect(calls).toHaveLength(1);

  calls[0]?.answer(record);
  await settle();
  const update = await node({ messages: late, compaction: stateOf(begun) }, inThread("t"));
  const after = messagesAfter(update, late);
  expect(calls).toHaveLength(1);
  expect(steps()).toEqual(["started", "ready", "applied"]);
  expect(after.find(isSummary)?.text).toContain("Every tenth row is a multiple of seven");
  expect(stateOf(update).prepared).toBeUndefined();
  expect(events.some(({ type }) => type === "context.certificate")).toBe(true);
  expect(await unfolded(after, files, "t")).toEqual(await unfolded(late, files, "t"));
});

it("is found by another process", async () => {
  const first = setUp();
  const begun = await first.node({ messages: early, compaction: {} }, inThread("t"));
  first.calls[0]?.answer(record);
  await settle();
  const second = setUp({ files: first.files });
  const update = await second.node({ messages: late, compaction: stateOf(begun) }, inThread("t"));
  expect(second.calls).toHaveLength(0);
  expect(messagesAfter(update, late).find(isSummary)?.text).toContain("multiple of seven");
});

it("waits for a summary that is still being written", async () => {
  const { node, calls, steps } = setUp();
  const begun = await node({ messages: early, compaction: {} }, inThread("t"));
  const update = node({ messages: late, compaction: stateOf(begun) }, inThread("t"));
  await settle();
  calls[0]?.answer(record);
  expect(messagesAfter(await update, late).some(isSummary)).toBe(true);
  expect(calls).toHaveLength(1);
  expect(steps()).toEqual(["started", "ready", "applied"]);
});

it("is discarded when a message of its span has changed", async () => {
  const { node, calls, steps } = setUp();
  const begun = await node({ messages: early, compaction: {} }, inThread("t"));
  calls[0]?.answer(record);
  await vi.waitFor(() => expect(steps()).toContain("ready"));
  const edited = late.map((message) =>
    message.id === "ai-1" ? copyMessage(message, { content: "Looking elsewhere." }) : message,
  );
  const update = node({ messages: edited, compaction: stateOf(begun) }, inThread("t"));
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  calls[1]?.answer("## Findings\n- Row 7 was read anew");
  expect(messagesAfter(await update, edited).find(isSummary)?.text).toContain("Row 7 was read anew");
  expect(steps()).toEqual(["started", "ready", "discarded"]);
});

it("does not change the later compaction if the model fails in advance", async () => {
  const events: ContextEvent[] = [];
  const files = VirtualFilesystem.inMemory();
  const model = { invoke: () => Promise.reject(new Error("401 no key")) };
  const onEvent = (event: ContextEvent) => events.push(event);
  const node = compactionNode({
    files,
    model,
    contextWindow,
    keep: { tokens: 1_500 },
    prepareAt: 0.6,
    onEvent,
  });
  const begun = await node({ messages: early, compaction: {} }, inThread("t"));
  await settle();
  const failed = events.flatMap((event) => (event.type === "context.fail" ? [event.next] : []));
  expect(failed).toEqual(["none"]);
  const update = await node({ messages: late, compaction: stateOf(begun) }, inThread("t"));
  expect(messagesAfter(update, late).some(isSummary)).toBe(true);
  expect(events.flatMap((event) => (event.type === "context.fail" ? [event.next] : []))).toEqual([
    "none",
    "extract",
  ]);
});

it("writes the summary again when the one in the archive is damaged", async () => {
  const { node, calls, events, files } = setUp();
  const begun = await node({ messages: early, compaction: {} }, inThread("t"));
  const { archive } = files.thread("t");
  const { digest = "" } = stateOf(begun).prepared ?? {};
  await archive.append(preparedPath(digest), "not what anybody wrote");
  calls[0]?.answer(record);
  await settle();
  // What is there is no summary: the one that is due is written as it would have been.
  const update = node({ messages: late, compaction: stateOf(begun) }, inThread("t"));
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  calls[1]?.answer("## Findings\n- Written when it was due");
  expect(messagesAfter(await update, late).find(isSummary)?.text).toContain("Written when it was due");
  expect(events.filter(({ type }) => type === "context.fail")).toEqual([]);
});

it("reports an archive that refuses the prepared summary, and writes the summary when it is due", async () => {
  const driver = new FailingDriver();
  const { node, calls, events } = setUp({ files: new VirtualFilesystem({ driver }) });
  const begun = await node({ messages: early, compaction: {} }, inThread("t"));
  driver.full = true;
  calls[0]?.answer(record);
  const failed = () => events.flatMap((event) => (event.type === "context.fail" ? [event.rung] : []));
  await vi.waitFor(() => expect(failed()).toEqual(["archive"]));
  driver.full = false;
  const update = node({ messages: late, compaction: stateOf(begun) }, inThread("t"));
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  calls[1]?.answer("## Findings\n- Written when it was due");
  expect(messagesAfter(await update, late).find(isSummary)?.text).toContain("Written when it was due");
});

it("keeps two threads apart, and two tenants with threads of the same name", async () => {
  const { node, calls, files } = setUp();
  const other = setUp();
  const begun = await Promise.all([
    node({ messages: early, compaction: {} }, inThread("a")),
    node({ messages: early, compaction: {} }, inThread("b")),
    other.node({ messages: early, compaction: {} }, inThread("a")),
  ]);
  expect([calls.length, other.calls.length]).toEqual([2, 1]);
  calls[0]?.answer("## Findings\n- This is of thread a");
  calls[1]?.answer("## Findings\n- This is of thread b");
  other.calls[0]?.answer("## Findings\n- This is of another tenant");
  await settle();
  const nodes = [node, node, other.node];
  const texts = await Promise.all(
    ["a", "b", "a"].map(async (thread, at) => {
      const compaction = stateOf(begun[at] ?? {});
      const update = await nodes[at]?.({ messages: late, compaction }, inThread(thread));
      return messagesAfter(update ?? {}, late).find(isSummary)?.text ?? "";
    }),
  );
  expect(texts.map((text) => /This is of .*/.exec(text)?.[0])).toEqual([
    "This is of thread a",
    "This is of thread b",
    "This is of another tenant",
  ]);
  expect(await stopPreparing(files, "a")).toBeUndefined();
});

/** An agent that reads rows until it is aborted, in a real graph. */
function reader(options: ReturnType<typeof setUp>["common"], stop: (call: number) => void) {
  const readRows = tool(({ step }: { step: number }) => filler(300, step), {
    name: "read_rows",
    schema: z.object({ step: z.number() }),
  });
  const model = new ScriptedModel((_, call) => {
    stop(call);
    const tool_calls = [{ id: `call-${call}`, name: "read_rows", args: { step: call } }];
    return new AIMessage(call < 25 ? { content: `Step ${call}`, tool_calls } : { content: "Done" });
  });
  const compact = compactionNode(options);
  return agentGraph({ model, tools: [readRows], compact, checkpointer: new MemorySaver() });
}

it("is aborted with the run, even in a step after the one that started it", async () => {
  const { common, calls } = setUp();
  const controller = new AbortController();
  let since = 0;
  const graph = reader(common, () => {
    if (calls.length > 0 && ++since === 3) controller.abort();
  });
  const run = graph.invoke({ messages: early.slice(0, 3) }, { ...inThread("t"), signal: controller.signal });
  await expect(run).rejects.toThrow(/abort/i);
  expect(since).toBe(3);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.signal?.aborted).toBe(true);
});

it("ends with stopPreparing, and leaves nothing", async () => {
  const { node, calls, files } = setUp();
  await node({ messages: early, compaction: {} }, inThread("t"));
  await stopPreparing(files, "t");
  expect(calls[0]?.signal?.aborted).toBe(true);
  calls[0]?.answer(record);
  await settle();
  const paths: string[] = [];
  for await (const { path } of files.thread("t").archive.list()) paths.push(path);
  expect(paths.filter((path) => path.includes("prepared"))).toEqual([]);
});

it("is routed to the node once, with a condition before the node", async () => {
  const { common, node } = setUp();
  const needsCompaction = compactionCondition(common);
  expect(needsCompaction({ messages: early.slice(0, 21), compaction: {} })).toBe("model");
  expect(needsCompaction({ messages: early, compaction: {} })).toBe("compact");
  const compaction = stateOf(await node({ messages: early, compaction: {} }, inThread("t")));
  expect(needsCompaction({ messages: early, compaction })).toBe("model");
  expect(needsCompaction({ messages: late, compaction })).toBe("compact");
});

it("is noted on the newest message of a graph without the channel", async () => {
  const { node, calls, steps } = setUp();
  const noted = messagesAfter(await node({ messages: early }, inThread("t")), early);
  calls[0]?.answer(record);
  await settle();
  const more = [...noted, ...late.slice(early.length)];
  expect(messagesAfter(await node({ messages: more }, inThread("t")), more).some(isSummary)).toBe(true);
  expect(steps()).toEqual(["started", "ready", "applied"]);
  expect(calls).toHaveLength(1);
});

it("refuses a prepareAt at which there is nothing to prepare", () => {
  const files = VirtualFilesystem.inMemory();
  for (const prepareAt of [0, 1, 0.85, Number.NaN]) {
    expect(() => compactionNode({ files, contextWindow, prepareAt })).toThrow(ContextError);
  }
  expect(compactionNode({ files, contextWindow, prepareAt: 0.8 })).toBeTypeOf("function");
});
