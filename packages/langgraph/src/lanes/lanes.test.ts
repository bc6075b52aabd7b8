import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import { foldOf, type Lane } from "@palimpsest/context";
import { RecallIndex } from "@palimpsest/recall";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { beforeEach, describe, expect, it } from "vitest";
import { compactionNode, maskToolResultsNode, summarizeNode } from "../index.js";
import type { CompactionState } from "../run/context-state.js";
import { FailingDriver } from "../testing/storage.js";
import { fileTools } from "../tools/file-tools.js";
import { searchHistoryTool } from "../tools/search/search-history-tool.js";
import { unfoldTool } from "../tools/unfold-tool.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { handOver, laneOf } from "./lane-use.js";

const scout: Lane = { name: "scout", share: "all" };
const config = {
  configurable: { ...inThread("t").configurable, checkpoint_ns: "scout:run-1|compact:task-1" },
};
const large = history({ steps: 3, result: (step) => `${filler(600, step)}\nNEEDLE-${step}` });

let files: VirtualFilesystem;
beforeEach(() => {
  files = VirtualFilesystem.inMemory();
});

/** Folds large results into a lane, and returns the messages and what compaction remembers. */
async function folded(lane: Lane, messages: readonly BaseMessage[] = large) {
  const node = compactionNode({ files, lane, contextWindow: 100_000, limits: { offload: 200 } });
  const update = await node({ messages, compaction: {} }, config);
  const { lane: use } = update["compaction"] as CompactionState;
  return { messages: messagesAfter(update, messages), use, update };
}

async function pathsOf(): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const { path } of files.archive("t").list()) paths.push(path);
  return paths;
}

/** Calls a tool as an agent with these messages does. */
async function call(
  tool: DynamicStructuredTool | undefined,
  args: object,
  messages: readonly BaseMessage[] = [],
) {
  return String(await tool?.invoke(args, { ...config, state: { messages } } as never));
}

const toolNamed = (name: string, lane?: Lane) =>
  [...fileTools({ files, ...(lane && { lane }) }), unfoldTool({ files, ...(lane && { lane }) })].find(
    (tool) => tool.name === name,
  );

const source = (path: string) =>
  `[${path}: of the agent scout, thread t, run scout:run-1, ${new Date().toISOString().slice(0, 10)}`;

describe("an agent with a lane", () => {
  it("notes where its folds are, and once: at a step that folds nothing more it notes nothing", async () => {
    const { messages, use, update } = await folded(scout);
    expect(use).toMatchObject({ ...scout, thread: "t", namespace: "scout:run-1" });
    const compaction = update["compaction"] as CompactionState;
    const node = compactionNode({ files, lane: scout, contextWindow: 100_000, limits: { offload: 200 } });
    const later = await node({ messages, compaction }, config);
    expect((later["compaction"] as CompactionState | undefined)?.lane).toBeUndefined();
  });

  it("archives nothing more when a node runs again", async () => {
    await folded(scout);
    const once = await pathsOf();
    await folded(scout);
    expect(await pathsOf()).toEqual(once);
    expect(once.filter((path) => path.includes("/stand-ins/"))).toHaveLength(1);
  });

  it.each([
    [{ name: "a/b", share: "all" }, /^lane\.name is "a\/b": use a name of 1 to 40/],
    [{ name: "scout", share: "some" }, /^lane\.share is "some": use "none", "summary" or "all"/],
    ["scout", /^lane is "scout": use a name and what others may read/],
  ])("is refused when it is built with the lane %j", (lane, message) => {
    expect(() => compactionNode({ files, contextWindow: 100_000, lane: lane as Lane })).toThrow(message);
  });
});

describe("a tool of another agent", () => {
  it("says of whom a file is: agent, thread, run and time", async () => {
    const { messages } = await folded(scout);
    const path = foldOf(messages[2]!)?.path ?? "";
    expect(path).toMatch(/^\/context\/lanes\/scout\/results\//);
    expect(await call(toolNamed("read_file"), { path })).toContain(source(path));
    expect(await call(toolNamed("unfold"), { fold: path })).toContain(source(path));
    expect(await call(toolNamed("grep"), { pattern: "NEEDLE-0" })).toContain(source(path));
    const index = RecallIndex.inMemory();
    expect(await call(searchHistoryTool({ files, index }), { query: "NEEDLE-0" })).toContain(source(path));
    await index.close();
    expect(await call(toolNamed("read_file", scout), { path })).not.toContain("of the agent");
  });

  it("says why the file of a stand-in is not there: the agent does not share it", async () => {
    const { messages } = await folded({ ...scout, share: "none" });
    const path = foldOf(messages[2]!)?.path ?? "";
    const said = await call(toolNamed("read_file"), { path }, messages);
    expect(said).toContain(
      "Another agent has archived it, and does not share its originals: ask that agent.",
    );
    expect(said).not.toContain("Its developer has to pass the same files");
    expect(await call(toolNamed("read_file"), { path })).not.toContain("Another agent");
  });
});

it("an original that the state holds while the archive fails is read by its agent alone, where the lane hides it", async () => {
  const driver = new FailingDriver();
  files = new VirtualFilesystem({ driver });
  driver.full = true;
  const lane: Lane = { name: "scout", share: "none" };
  const node = compactionNode({ files, lane, contextWindow: 1_500, limits: { offload: 200 } });
  const messages = messagesAfter(await node({ messages: large, compaction: {} }, config), large);
  const held = messages.flatMap((message) => {
    const fold = foldOf(message);
    return fold?.held === undefined ? [] : [fold.path];
  });
  expect(held.length).toBeGreaterThan(0);
  for (const path of held)
    for (const [name, args] of [
      ["unfold", { fold: path }],
      ["read_file", { path }],
    ] as const) {
      expect(await call(toolNamed(name, lane), args, messages)).toContain("row 0 of");
      expect(await call(toolNamed(name), args, messages)).not.toContain("row 0 of");
    }
});

it("a summary quotes masked results of its own agent, and none that the lane of another agent hides", async () => {
  const talk = history({
    steps: 80,
    result: (step) => `the port of host-${step} is ${step * 7919 + 1_000_003}`,
  });
  const options = { files, contextWindow: 4_000, keep: { messages: 2 } };
  const none: Lane = { name: "scout", share: "none" };
  const long = talk.map((message) =>
    ToolMessage.isInstance(message)
      ? new ToolMessage({ ...message.lc_kwargs, content: `${message.text}\n${filler(60)}` } as never)
      : message,
  );
  const quoted: string[] = [];
  for (const writer of [none, undefined]) {
    const mask = maskToolResultsNode({ ...options, keepSteps: 2, lane: none });
    const masked = messagesAfter(await mask({ messages: long, compaction: {} }, config), long);
    const next = [
      ...masked,
      new AIMessage({ id: "so", content: "So it is." }),
      new HumanMessage({ id: "on", content: "Go on." }),
    ];
    const node = summarizeNode({ ...options, summaryModel: "none", ...(writer && { lane: writer }) });
    const context = messagesAfter(await node({ messages: next, compaction: {} }, config), next);
    quoted.push(context.find((message) => foldOf(message)?.kind === "summary")?.text ?? "no summary");
  }
  const [own, others] = quoted;
  expect(own).toContain("the port of host-12 ");
  expect(others).not.toContain("no summary");
  expect(others).not.toContain("the port of host-12 ");
});

it("what a client writes as a lane into a message or a state is read only in the form that a node writes", () => {
  const message = new AIMessage("Done.");
  for (const lane of [
    undefined,
    "scout",
    { name: "../x", share: "all" },
    { name: "scout", share: "every" },
  ]) {
    expect(handOver(message, { compaction: { lane } })).toBe(message);
    expect(
      laneOf(new AIMessage({ content: "", additional_kwargs: { palimpsest_lane: lane } })),
    ).toBeUndefined();
  }
  expect(handOver(message, null)).toBe(message);
});
