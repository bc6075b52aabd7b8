import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointListOptions, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import {
  MessagesDeltaValue,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
  messagesDeltaReducer,
} from "@langchain/langgraph";
import { mergeFiles } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { testedSavers } from "../testing/savers.js";
import type { VfsSaver } from "./vfs-saver.js";

const texts = async (messages: AsyncIterable<BaseMessage>): Promise<unknown[]> => {
  const found = [];
  for await (const { content } of messages) found.push(content);
  return found;
};

const chat = (saver: VfsSaver, messages: typeof MessagesValue | typeof MessagesDeltaValue = MessagesValue) =>
  new StateGraph(new StateSchema({ messages }))
    .addNode("answer", (state) => ({ messages: [new AIMessage(`${state.messages.length}`)] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });

const config = (threadId: string) => ({ configurable: { thread_id: threadId } });

async function unfold(
  messages: readonly BaseMessage[],
  read: (path: string) => Promise<string>,
): Promise<BaseMessage[]> {
  return [new HumanMessage(await read("/context/history/1.md")), ...messages];
}

async function all(tuples: AsyncIterable<unknown>): Promise<void> {
  for await (const tuple of tuples) expect(tuple).toBeDefined();
}

const oddIds = [
  "t1",
  "t10",
  "t1.",
  "t1/..",
  "../t1",
  "T1",
  "ü",
  "漢字",
  "😀",
  "'; DROP TABLE threads; --",
  "%",
  "a b",
  "__proto__x",
];

describe.each(testedSavers)("threads on $name", ({ create }) => {
  it("lists checkpoints by metadata of any form", async () => {
    const saver = await create();
    const put = async (id: string, extra: object) => {
      const checkpoint = { v: 4, id, ts: "", channel_values: {}, channel_versions: {}, versions_seen: {} };
      await saver.put(config("t"), checkpoint, { source: "loop", step: 1, parents: {}, ...extra }, {});
    };
    await put("1", { run: { user: "ada", tags: ["a", 1] } });
    await put("2", { run: { user: "bob", tags: ["a", 1] } });
    const listed = async (filter: object | null) => {
      const ids: string[] = [];
      for await (const { checkpoint } of saver.list(config("t"), { filter } as CheckpointListOptions))
        ids.push(checkpoint.id);
      return ids;
    };
    expect(await listed({ run: { tags: ["a", 1], user: "ada" } })).toEqual(["1"]);
    expect(await listed({ run: { user: "ada" } })).toEqual([]);
    expect(await listed(null)).toEqual(["2", "1"]);
    await saver.close();
  });

  it("have a history that equals their list without writes, in which a message of two checkpoints is one object", async () => {
    const saver = await create();
    const graph = chat(saver);
    for (let turn = 0; turn < 6; turn++)
      await graph.invoke({ messages: [new HumanMessage(`Turn ${turn}.`)] }, config("a"));
    const listed = saver.list({ configurable: { thread_id: "a", checkpoint_ns: "" } });
    const history: CheckpointTuple[] = [];
    for await (const tuple of saver.history("a")) history.push(tuple);
    let at = 0;
    for await (const { pendingWrites: _, ...tuple } of listed) expect(history[at++]).toEqual(tuple);
    expect(at).toBe(history.length);
    expect(at).toBe(18);
    const [newest, before] = history.map(
      ({ checkpoint }) => checkpoint.channel_values["messages"] as object[],
    );
    expect(newest).toHaveLength(12);
    expect(newest?.[0]).toBe(before?.[0]);
  });

  it("are listed in the order of their bytes, by the beginning of their ids, a part at a time", async () => {
    const saver = await create();
    const names = [
      "a/1",
      "a/2",
      "a/\u{10ffff}",
      "a0",
      "b",
      "\ud7ff1",
      "\ue000",
      "\u{10ffff}1",
      "\u{10ffff}\u{10ffff}",
    ];
    for (const id of names) await chat(saver).invoke({ messages: [new HumanMessage("I")] }, config(id));
    const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const prefix of ["", "a", "a/", "a/1", "b", "c", "\ud7ff", "\u{10ffff}", "a/\u{10ffff}"])
      expect([prefix, await saver.threads({ prefix })]).toEqual([
        prefix,
        sorted.filter((id) => id.startsWith(prefix)),
      ]);
    expect(await saver.threads({ prefix: "a/", limit: 2 })).toEqual(["a/1", "a/2"]);
    expect(await saver.threads({ prefix: "a/", after: "a/1", limit: 2 })).toEqual(["a/2", "a/\u{10ffff}"]);
    expect(await saver.threads({ after: sorted[6] ?? "" })).toEqual(sorted.slice(7));
    await saver.close();
  });

  it("are deleted together, whatever their ids, and the others stay", async () => {
    const saver = await create();
    const graph = chat(saver);
    const ids = [...oddIds, "\\", "\\'", '"', '"}', "{", "palimpsest_threads", "$1"];
    for (const id of [...ids, "other"])
      await graph.invoke({ messages: [new HumanMessage(`I am ${id}`)] }, config(id));
    await expect(saver.deleteThreads([ids[0] ?? "", ""])).rejects.toMatchObject({ code: "bad-option" });
    expect((await saver.threads()).length).toBe(ids.length + 1);
    await saver.deleteThreads(new Set([...ids, "nobody"]));
    expect(await saver.threads()).toEqual(["other"]);
    expect(await texts(saver.readThread(config("other")))).toEqual(["I am other", "1"]);
    await saver.deleteThreads(ids);
    await saver.deleteThreads([]);
    await saver.close();
  });

  it("stay apart, whatever their ids", async () => {
    const saver = await create();
    const graph = chat(saver);
    for (const id of oddIds) await graph.invoke({ messages: [new HumanMessage(`I am ${id}`)] }, config(id));
    for (const id of oddIds) {
      expect(await texts(saver.readThread(config(id)))).toEqual([`I am ${id}`, "1"]);
    }
    await saver.deleteThread("t1");
    expect(await saver.getTuple(config("t1"))).toBeUndefined();
    expect(await texts(saver.readThread(config("t10")))).toEqual(["I am t10", "1"]);
    await saver.close();
  });

  it.each([
    ["empty", ""],
    ["with NUL", "a\0b"],
    ["with a lone surrogate", "a\ud800"],
  ])("refuse an id that is %s in every call", async (_, id) => {
    const saver = await create();
    await saver.putWrites({ configurable: { thread_id: "t", checkpoint_id: "1" } }, [["a", 1]], "task");
    const calls: readonly (() => Promise<unknown>)[] = [
      async () => saver.getTuple(config(id)),
      async () =>
        saver.putWrites({ configurable: { ...config(id).configurable, checkpoint_id: "1" } }, [], "t"),
      async () => chat(saver).invoke({ messages: [new HumanMessage("hi")] }, config(id)),
      async () => all(saver.list(config(id))),
      async () => all(saver.checkpoints(id)),
      async () => all(saver.history(id)),
      async () => all(saver.readThread(config(id))),
      async () => saver.verify(id, () => undefined),
      async () => saver.prune(id, { keepLast: 1 }),
      async () => saver.deleteThread(id),
      async () => saver.copyThread(id, "u"),
      async () => saver.copyThread("t", id),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "bad-option" });
    await saver.close();
  });

  it("are restored when one step adds hundreds of messages and megabytes of text", async () => {
    const saver = await create();
    const messages = Array.from(
      { length: 600 },
      (_, index) => new HumanMessage({ content: `${index} `.repeat(300), id: `${index}` }),
    );
    messages.push(new HumanMessage({ content: "0123456789abcdef".repeat(600_000), id: "large" }));
    const live = await chat(saver).invoke({ messages }, config("t"));
    const stored = await texts(saver.readThread(config("t")));
    expect(stored.length).toBe(602);
    expect(stored.every((content, index) => content === live.messages[index]?.content)).toBe(true);
    await saver.close();
  });

  it("can be created again after a deletion, by a saver that wrote them before", async () => {
    const saver = await create();
    const graph = chat(saver);
    const long = "x".repeat(2000);
    for (let round = 0; round < 3; round++) {
      for (let turn = 0; turn < 10; turn++)
        await graph.invoke({ messages: [new HumanMessage(long)] }, config("t"));
      expect(await texts(saver.readThread(config("t")))).toHaveLength(20);
      await saver.deleteThread("t");
    }
    await saver.close();
  });

  it("can be copied with history and archive, and are then independent", async () => {
    const saver = await create();
    const graph = chat(saver);
    for (let turn = 0; turn < 12; turn++)
      await graph.invoke({ messages: [new HumanMessage("x".repeat(600))] }, config("a"));
    await saver.files.thread("a").archive.append("/context/history/1.md", "archived");
    const { backend, workspace } = saver.files.thread("a");
    await backend.write("/note.md", "mine");
    const files = mergeFiles({}, workspace.changes);
    await saver.copyThread("a", "b");
    expect((await saver.files.thread("b", files).backend.read("/note.md")).content).toBe("mine");
    expect((await saver.files.thread("c", files).backend.read("/note.md")).content).toBeUndefined();
    await expect(saver.copyThread("a", "b")).rejects.toMatchObject({ code: "conflict" });
    await expect(saver.copyThread("none", "c")).rejects.toMatchObject({ code: "not-found" });
    const histories: unknown[][] = [];
    for (const id of ["a", "b"]) {
      const history = [];
      for await (const { checkpoint, metadata, pendingWrites } of saver.list(config(id)))
        history.push({ checkpoint, metadata, pendingWrites });
      histories.push(history);
    }
    expect(histories[1]).toEqual(histories[0]);
    await saver.deleteThread("a");
    expect(await saver.files.thread("a").archive.has("/context/history/1.md")).toBe(false);
    expect(await saver.files.thread("b").archive.readText("/context/history/1.md")).toBe("archived");
    const live = await graph.invoke({ messages: [new HumanMessage("more")] }, config("b"));
    expect(live.messages).toHaveLength(26);
    await saver.close();
  });

  it("are read completely, with folds replaced by the given function", async () => {
    const saver = await create();
    await chat(saver).invoke({ messages: [new HumanMessage("short")] }, config("t"));
    await saver.files.thread("t").archive.append("/context/history/1.md", "the long original");
    expect(await texts(saver.readThread(config("t"), { unfold }))).toEqual([
      "the long original",
      "short",
      "1",
    ]);
    expect(await texts(saver.readThread(config("nobody")))).toEqual([]);
    await saver.close();
  });

  it("are read completely when messages are a delta channel", async () => {
    const saver = await create();
    await chat(saver, MessagesDeltaValue).invoke({ messages: [new HumanMessage("hi")] }, config("t"));
    await expect(texts(saver.readThread(config("t")))).rejects.toMatchObject({ code: "unsupported" });
    expect(await texts(saver.readThread(config("t"), { reducer: messagesDeltaReducer }))).toEqual([
      "hi",
      "1",
    ]);
    await saver.close();
  });
});
