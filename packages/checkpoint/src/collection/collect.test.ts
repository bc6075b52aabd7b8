import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesDeltaValue, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemoryDriver } from "@palimpsest/vfs";
import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ForwardingSaver } from "../testing/forwarding-saver.js";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { sharedDatabases } from "../testing/shared-savers.js";
import { storeSaver, temporaryPath, testedSavers } from "../testing/savers.js";
import { VfsSaver } from "../saver/vfs-saver.js";

const config = (threadId: string) => ({ configurable: { thread_id: threadId } });
const long = (seed: string): string =>
  Array.from({ length: 200 }, (_, index) => `${seed}${index * 7919}`).join(" ");

function chat(saver: VfsSaver, messages: typeof MessagesValue | typeof MessagesDeltaValue = MessagesValue) {
  return new StateGraph(new StateSchema({ messages }))
    .addNode("answer", (state) => ({ messages: [new AIMessage(long(`${state.messages.length}`))] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
}

async function talk(saver: VfsSaver, threadId: string, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await chat(saver).invoke({ messages: [new HumanMessage(long(`turn ${turn} `))] }, config(threadId));
  }
}

function count(path: string, table: string): number {
  const database = new LibsqlDatabase(path);
  const rows = Number(database.get(`SELECT count(*) AS rows FROM ${table}`)?.["rows"]);
  database.close();
  return rows;
}

async function lengths(saver: VfsSaver, threadId: string): Promise<number[]> {
  const found = [];
  for await (const { checkpoint } of saver.list(config(threadId))) {
    found.push((checkpoint.channel_values["messages"] as unknown[] | undefined)?.length ?? 0);
  }
  return found;
}

describe("deleteThread", () => {
  it("deletes every row of a thread, and shrinks the file", async () => {
    const path = temporaryPath();
    const saver = VfsSaver.fromPath(path);
    await talk(saver, "t", 10);
    await saver.files.thread("t").archive.append("/context/x.md", long("x"));
    await saver.deleteThread("t");
    await saver.close();
    for (const table of [
      "spaces",
      "checkpoints",
      "writes",
      "blobs",
      "bundles",
      "owners",
      "files",
      "chunks",
    ]) {
      expect([table, count(path, table)]).toEqual([table, 0]);
    }
    expect(statSync(path).size).toBeLessThan(150_000);
  });

  it("keeps blobs that another thread references until that thread is deleted", async () => {
    const path = temporaryPath();
    const saver = VfsSaver.fromPath(path);
    await talk(saver, "a", 10);
    const once = count(path, "blobs");
    await saver.copyThread("a", "b");
    expect(count(path, "blobs")).toBe(once);
    await saver.deleteThread("a");
    expect(count(path, "blobs")).toBe(once);
    expect((await lengths(saver, "b"))[0]).toBe(20);
    await saver.deleteThread("b");
    expect(count(path, "blobs")).toBe(0);
    await saver.close();
  });
});

const isDone = async (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), new Promise<boolean>((resolve) => setTimeout(resolve, 25, false))]);

/** Collects a thread again and again until the work is done. */
async function collectDuring(saver: VfsSaver, work: Promise<unknown>): Promise<void> {
  for (let round = 0; !(await isDone(work)); round++) await saver.prune("t", { keepLast: 1 + (round % 3) });
}

describe.each([...testedSavers, storeSaver])("prune on $name", ({ create }) => {
  it("keeps the newest checkpoints and everything that they reference", async () => {
    const saver = await create();
    await talk(saver, "t", 12);
    await talk(saver, "other", 2);
    const all = await lengths(saver, "t");
    const { checkpoints, blobs } = await saver.prune("t", { keepLast: 3 });
    expect(checkpoints).toBe(all.length - 3);
    expect(blobs).toBeGreaterThan(0);
    expect(await lengths(saver, "t")).toEqual(all.slice(0, 3));
    expect(await lengths(saver, "other")).toHaveLength(6);
    await talk(saver, "t", 2);
    expect((await lengths(saver, "t"))[0]).toBe(28);
    expect(await saver.prune("nobody", { keepLast: 1 })).toEqual({ checkpoints: 0, blobs: 0, files: 0 });
    await expect(saver.prune("t", { keepLast: 0 })).rejects.toMatchObject({ code: "bad-option" });
    await saver.close();
  });

  it("keeps the ancestors that a delta channel is rebuilt from", async () => {
    const saver = await create();
    const graph = chat(saver, MessagesDeltaValue);
    let live;
    for (let turn = 0; turn < 8; turn++)
      live = await graph.invoke({ messages: [new HumanMessage("hi")] }, config("t"));
    await saver.prune("t", { keepLast: 1 });
    expect((await graph.getState(config("t"))).values).toEqual(live);
    await saver.close();
  });

  it("loses nothing of a concurrent writer, with two collectors", async () => {
    const saver = await create();
    const writing = talk(saver, "t", 10);
    await Promise.all([collectDuring(saver, writing), collectDuring(saver, writing), writing]);
    expect((await lengths(saver, "t"))[0]).toBe(20);
    await saver.close();
  });
});

describe.each(sharedDatabases)("prune by another process on $name", ({ create }) => {
  it("makes a saver that assumes deleted blobs are stored send them again", async () => {
    const open = await create();
    const [writer, collector] = [await open(), await open()];
    for (let round = 0; round < 6; round++) {
      await talk(writer, "t", 3);
      await (round % 2 === 0 ? collector.prune("t", { keepLast: 1 }) : collector.deleteThread("t"));
    }
    await talk(writer, "t", 5);
    const reader = await open();
    const found = await lengths(reader, "t");
    expect(found[0]).toBe(10);
    await Promise.all([writer, collector, reader].map(async (saver) => saver.close()));
  });

  it("loses nothing of a concurrent writer", async () => {
    const open = await create();
    const [writer, collector] = [await open(), await open()];
    const writing = talk(writer, "t", 20);
    await Promise.all([collectDuring(collector, writing), writing]);
    const reader = await open();
    expect((await lengths(reader, "t"))[0]).toBe(40);
    await Promise.all([writer, collector, reader].map(async (saver) => saver.close()));
  });
});

describe("prune", () => {
  it("is refused when the wrapped saver cannot delete single checkpoints, with the name of that saver", async () => {
    const saver = VfsSaver.wrap(new ForwardingSaver(new MemorySaver()), { blobs: new MemoryDriver() });
    await talk(saver, "t", 2);
    await expect(saver.prune("t", { keepLast: 1 })).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringMatching(/ForwardingSaver.*deleteCheckpoints/),
    });
    expect((await lengths(saver, "t"))[0]).toBe(4);
  });

  it("deletes single checkpoints of any wrapped saver through deleteCheckpoints", async () => {
    const inner = new MemorySaver();
    const saver = VfsSaver.wrap(new ForwardingSaver(inner), {
      blobs: new MemoryDriver(),
      deleteCheckpoints: async (keys) => {
        for (const { threadId, namespace, id } of keys) delete inner.storage[threadId]?.[namespace]?.[id];
      },
    });
    await talk(saver, "t", 3);
    expect((await saver.prune("t", { keepLast: 1 })).checkpoints).toBe(8);
    expect(await lengths(saver, "t")).toEqual([6]);
  });
});
