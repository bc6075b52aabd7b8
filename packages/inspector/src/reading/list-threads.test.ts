import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { BaseMessage } from "@langchain/core/messages";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, contextState } from "@palimpsest/langgraph";
import { expect, it } from "vitest";
import { writeThread } from "../testing/written-thread.js";
import { findFolds } from "./find-folds.js";
import { listArchives, sizeOfThread } from "./list-threads.js";

/** Runs an agent whose long results and long inputs are offloaded. */
async function writeOffloaded(saver: VfsSaver, threadId: string): Promise<void> {
  const options = {
    files: saver.files,
    contextWindow: 2_000,
    keep: { messages: 2 },
    limits: { offload: 200 },
  };
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("agent", ({ messages }) => ({ messages: callWithLongParts(messages.length) }))
    .addNode("compact", compactionNode(options))
    .addEdge(START, "agent")
    .addEdge("agent", "compact")
    .compile({ checkpointer: saver });
  for (let turn = 0; turn < 4; turn++)
    await graph.invoke({ messages: [new HumanMessage("go")] }, { configurable: { thread_id: threadId } });
}

function callWithLongParts(at: number): BaseMessage[] {
  const text = `line of ${at}\n`.repeat(300);
  const call = {
    id: `call-${at}`,
    name: "write",
    args: { path: "/a", text: `in ${text}`, more: `also ${text}` },
  };
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  return [
    new AIMessage({ id: `a${at}`, content: "", tool_calls: [call] }),
    new ToolMessage({ id: `r${at}`, tool_call_id: call.id, content: [{ type: "text", text }, image] }),
  ];
}

it("one listing counts the folds of every thread, as reading each of its folds does", async () => {
  const saver = VfsSaver.inMemory();
  await writeThread(saver, "summaries/of summaries");
  await writeOffloaded(saver, "offloaded");
  await writeThread(saver, "short", 1);
  const archives = await listArchives(saver);
  const folds = Object.fromEntries(archives.map((one) => [one.thread, one.folds]));
  const found: Record<string, number> = {};
  for (const { thread, ...archive } of archives) {
    const tuple = await saver.getTuple({ configurable: { thread_id: thread } });
    const messages = tuple?.checkpoint.channel_values["messages"] as BaseMessage[];
    const read = async (path: string) => saver.files.archive(thread).readText(path);
    const all = await findFolds(messages, read);
    found[thread] = new Set(all.map(({ fold }) => fold.id)).size;
    expect(await sizeOfThread(saver, thread)).toMatchObject(archive);
  }
  expect(folds).toEqual(found);
  // How many there are hangs on tokens of digests, which differ in each storage.
  expect(folds["short"]).toBe(0);
  for (const thread of ["summaries/of summaries", "offloaded"]) expect(folds[thread]).toBeGreaterThan(4);
  const files = archives.find(({ thread }) => thread === "offloaded")?.archiveFiles;
  expect(files).toBeGreaterThan(folds["offloaded"] ?? 0);
});
