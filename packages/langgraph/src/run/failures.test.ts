import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import { contextMiddleware } from "../middleware/index.js";
import { foldNode } from "../folding/fold-node.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { summarizeNode } from "../nodes/rung-nodes.js";
import { withCompaction } from "../nodes/with-compaction.js";
import type { ContextOptions } from "../options/context-options.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { FailingDriver } from "../testing/storage.js";
import type { CompactionState } from "./context-state.js";

const refusing = () =>
  new ScriptedModel(() => {
    throw Object.assign(new Error("429 Too many requests"), { status: 429 });
  });

/** A thread that is due for a summary. */
const long: readonly BaseMessage[] = [
  new HumanMessage({ id: "h", content: "Read the pages." }),
  ...Array.from({ length: 12 }, (_, at) => [
    new AIMessage({ id: `a${at}`, content: "", tool_calls: [{ id: `c${at}`, name: "read", args: { at } }] }),
    new ToolMessage({ id: `r${at}`, name: "read", tool_call_id: `c${at}`, content: filler(400, at) }),
    new AIMessage({ id: `b${at}`, content: `Page ${at} is read.` }),
  ]).flat(),
  new HumanMessage({ id: "last", content: "And now?" }),
];
const refused = { rung: "summary", next: "extract", text: "429 Too many requests", after: "last" };
const options = { contextWindow: 3_000, keep: { messages: 4 } };

it("a failure that a node went on after is in the state, with the message it came after", async () => {
  const node = compactionNode({ ...options, files: VirtualFilesystem.inMemory(), model: refusing() });
  const update = await node({ messages: long, compaction: {} }, inThread("t"));
  expect((update as { compaction: CompactionState }).compaction.failures).toEqual([refused]);
});

it("a failure that a middleware went on after is in the state, until another step fails", async () => {
  const model = new ScriptedModel(() => new AIMessage("Yes."), 0, options.contextWindow);
  const files = VirtualFilesystem.inMemory();
  const { graph } = createAgent({
    model,
    tools: [],
    middleware: [contextMiddleware({ ...options, files, model: refusing() })],
    checkpointer: new MemorySaver(),
  });
  const failures = async () =>
    ((await graph.getState(inThread("t"))).values as { compaction: CompactionState }).compaction.failures;
  await graph.invoke({ messages: [...long] }, inThread("t"));
  expect(await failures()).toEqual([refused]);
  await graph.invoke({ messages: [new HumanMessage({ id: "next", content: "Good." })] }, inThread("t"));
  expect(await failures()).toEqual([refused]);
});

it("a step that runs again notes the same failures once, and one after another message notes its own", async () => {
  const driver = new FailingDriver();
  driver.full = true;
  const node = compactionNode({ ...options, files: new VirtualFilesystem({ driver }) });
  const run = async (messages: readonly BaseMessage[], compaction: CompactionState) => {
    const update = (await node({ messages, compaction }, inThread("t"))) as { compaction?: CompactionState };
    return { ...compaction, ...update.compaction };
  };
  const first = await run(long, {});
  expect(first.failures).toEqual([
    { rung: "archive", next: "none", text: "ENOSPC: no space left on device", after: "last" },
  ]);
  expect((await run(long, first)).failures).toBe(first.failures);
  const later = await run([...long, new HumanMessage({ id: "later", content: "Still?" })], first);
  expect(later.failures).toMatchObject([{ rung: "archive", after: "later" }]);
});

it.each([
  ["compactionNode", (given: ContextOptions) => compactionNode(given)],
  ["summarizeNode", (given: ContextOptions) => summarizeNode(given)],
  ["foldNode", (given: ContextOptions) => foldNode({ ...given, blockTokens: 100, microTokens: 20 })],
  ["withCompaction", (given: ContextOptions) => withCompaction(() => ({ messages: [] }), given)],
])("a summary call that uses up the stack reaches the host of %s", async (_, make) => {
  const deep = (): never => deep();
  const node = make({ ...options, files: VirtualFilesystem.inMemory(), model: new ScriptedModel(deep) });
  const run = async () => node({ messages: [...long], compaction: {} }, inThread("t"));
  await expect(run()).rejects.toThrow("Maximum call stack size exceeded");
});
