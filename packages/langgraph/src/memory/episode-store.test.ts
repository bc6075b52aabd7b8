import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { InMemoryStore } from "@langchain/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { EpisodeStore, type EpisodeStoreOptions } from "./episode-store.js";

/** A thread that is due for a summary, with a result that is offloaded. */
const thread = (word: string): readonly BaseMessage[] => [
  new HumanMessage({ id: "h", content: "Read the pages." }),
  ...Array.from({ length: 12 }, (_, at) => [
    new AIMessage({ id: `a${at}`, content: "", tool_calls: [{ id: `c${at}`, name: "read", args: { at } }] }),
    new ToolMessage({
      id: `r${at}`,
      name: "read",
      tool_call_id: `c${at}`,
      content: `${word} ${at}\n${filler(at === 11 ? 3_000 : 400, at)}`,
    }),
    new AIMessage({ id: `b${at}`, content: `Page ${at} is read.` }),
  ]).flat(),
  new HumanMessage({ id: "last", content: "And now?" }),
];

async function compact(files: VirtualFilesystem, threadId: string, word = "heron"): Promise<void> {
  const node = compactionNode({ files, contextWindow: 3_000, keep: { messages: 4 }, summaryModel: "none" });
  await node({ messages: [...thread(word)], compaction: {} }, inThread(threadId));
}

const user = { namespace: (threadId: string) => ["ada", threadId], about: () => ({ user: "ada" }) };

async function followed(given: Partial<EpisodeStoreOptions> = user) {
  const [store, files] = [new InMemoryStore(), VirtualFilesystem.inMemory()];
  const episodes = new EpisodeStore({ store, ...given });
  const stop = episodes.follow(files);
  return { store, files, episodes, stop };
}

describe("EpisodeStore", () => {
  it("makes what a compaction archives an entry in plain text, with kind, thread, user, time and path", async () => {
    const { store, files, episodes } = await followed();
    await compact(files, "t1");
    await episodes.flush();
    const entries = await store.search(["ada"], { limit: 100 });
    expect(entries.length).toBeGreaterThan(1);
    const kinds = new Set(entries.map(({ value }) => value["kind"] as string));
    expect([...kinds].toSorted()).toEqual(["history", "results"]);
    for (const { key, value, namespace } of entries) {
      expect(namespace).toEqual(["ada", "t1"]);
      expect(value).toMatchObject({ threadId: "t1", user: "ada", path: key });
      expect(Date.parse(value["createdAt"] as string)).toBeGreaterThan(0);
      const whole = await files.archive("t1").readText(key);
      expect(value["characters"]).toBe(whole.length);
      expect(whole.startsWith((value["text"] as string).slice(0, 40))).toBe(true);
    }
    const found = entries.filter(({ value }) => (value["text"] as string).includes("heron 3"));
    expect(found.length).toBeGreaterThan(0);
  });

  it("keeps threads apart, whatever their ids, and deletes one alone", async () => {
    const { store, files, episodes } = await followed({});
    for (const id of ["a.b", "a_b", "a/b"]) await compact(files, id, id);
    await episodes.flush();
    const threadsIn = async () =>
      new Set((await store.search(["episodes"], { limit: 1_000 })).map(({ value }) => value["threadId"]));
    expect(await threadsIn()).toEqual(new Set(["a.b", "a_b", "a/b"]));
    await episodes.removeThread("a.b");
    expect(await threadsIn()).toEqual(new Set(["a_b", "a/b"]));
  });

  it("copies what it has not seen, once", async () => {
    const { store, files, episodes, stop } = await followed();
    stop();
    await compact(files, "t1");
    expect(await store.search(["ada"], { limit: 100 })).toEqual([]);
    const copied = await episodes.copy(files, "t1");
    expect(copied).toBeGreaterThan(1);
    expect(await store.search(["ada"], { limit: 100 })).toHaveLength(copied);
    expect(await episodes.copy(files, "t1")).toBe(0);
  });

  it("reports a store that fails, never delays the agent, and catches up", async () => {
    const failures: string[] = [];
    const { store, files, episodes } = await followed({
      ...user,
      onError: (_, { path }) => failures.push(path),
    });
    const put = store.put.bind(store);
    store.put = async () => Promise.reject(new Error("the store is down"));
    await compact(files, "t1");
    await episodes.flush();
    expect(failures.length).toBeGreaterThan(1);
    store.put = put;
    expect(await episodes.copy(files, "t1")).toBe(failures.length);
  });

  it("bounds an entry, and says how long the file is", async () => {
    const { store, files, episodes } = await followed({ ...user, maxCharacters: 100 });
    await compact(files, "t1");
    await episodes.flush();
    const entries = await store.search(["ada"], { limit: 100 });
    expect(Math.max(...entries.map(({ value }) => (value["text"] as string).length))).toBe(100);
    expect(Math.max(...entries.map(({ value }) => value["characters"] as number))).toBeGreaterThan(1_000);
  });

  it.each([
    [{}, "store is undefined: pass a store of LangGraph"],
    [{ store: new InMemoryStore(), maxCharacters: 0 }, "maxCharacters is 0: pass a whole number above 0"],
  ])("refuses %j", (options, message) => {
    expect(() => new EpisodeStore(options as never)).toThrow(message);
  });
});
