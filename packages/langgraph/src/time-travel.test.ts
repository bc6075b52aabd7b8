import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { StateSnapshot } from "@langchain/langgraph";
import { foldOf, toolCalls, toStoredMessage } from "@palimpsest/context";
import { VirtualFilesystem, type Files } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { compactionNode } from "./nodes/compaction-node.js";
import { agentGraph, inThread } from "./testing/agent-graph.js";
import { filler } from "./testing/history.js";
import { ScriptedModel } from "./testing/scripted-model.js";
import { unfolded } from "./testing/storage.js";
import { fileTools } from "./tools/file-tools.js";

/** Writes the same file again and again, each time a longer version, until the context has been compacted. */
function writer() {
  return new ScriptedModel((messages) => {
    const last = messages.findLast((message) => toolCalls(message).length > 0);
    const version = Number(/v(\d+)/.exec(last?.id ?? "")?.[1] ?? 0) + 1;
    const calls = [
      { id: `w${version}`, name: "write_file", args: { path: "/draft.md", content: draft(version) } },
    ];
    return new AIMessage({
      id: `v${version}`,
      content: `Version ${version}.`,
      tool_calls: version <= 30 ? calls : [],
    });
  });
}

const draft = (version: number) => `version ${version}\n${filler(300, version)}`;

it("restores the old messages and files when a run is forked before a compaction", async () => {
  const files = VirtualFilesystem.inMemory();
  const compact = compactionNode({ files, contextWindow: 8_000 });
  const graph = agentGraph({ model: writer(), tools: fileTools({ files }), compact });
  const config = inThread("t");
  const end = await graph.invoke({ messages: [new HumanMessage({ id: "q", content: "Write it" })] }, config);
  const history: StateSnapshot[] = [];
  for await (const snapshot of graph.getStateHistory(config)) history.push(snapshot);
  const values = history.map((snapshot) => snapshot.values as { messages?: BaseMessage[]; files?: Files });
  const firstFold = values.findLastIndex(({ messages = [] }) => messages.some((message) => foldOf(message)));
  const before = history[firstFold + 1]!;
  const old = before.values as { messages: BaseMessage[]; files: Files };

  expect(end.messages.some((message) => foldOf(message))).toBe(true);
  expect(old.messages.length).toBeGreaterThan(10);
  expect(old.messages.some((message) => foldOf(message))).toBe(false);

  const written = toolCalls(old.messages.findLast((message) => toolCalls(message).length > 0)!)[0]?.args[
    "content"
  ];
  expect(await readDraft(files, old.files)).toBe(written);
  expect(await readDraft(files, end.files)).toBe(draft(30));

  const fork = await graph.updateState(
    before.config,
    { messages: [new HumanMessage({ id: "fork", content: "Stop and tell me" })] },
    "tools",
  );
  const forked = (await graph.getState(fork)).values as { messages: BaseMessage[]; files: Files };
  expect(forked.messages.map(({ id }) => id)).toEqual([...old.messages.map(({ id }) => id), "fork"]);
  expect(await readDraft(files, forked.files)).toBe(written);

  const other = await graph.invoke(null, { ...config, configurable: { ...fork.configurable } });
  expect(await readDraft(files, other.files)).toBe(draft(30));
  const opened = await unfolded(other.messages, files, "t");
  expect(opened.slice(0, old.messages.length + 1)).toEqual(
    forked.messages.map((message) => toStoredMessage(message)),
  );
});

async function readDraft(files: VirtualFilesystem, entries: Files): Promise<string> {
  const { content } = await files
    .thread("t", entries)
    .backend.readRaw("/draft.md")
    .then((page) => page.data ?? { content: "" });
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}
