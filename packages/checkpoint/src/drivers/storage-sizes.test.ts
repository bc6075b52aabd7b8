import { HumanMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import Database from "libsql";
import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { VfsSaver } from "../saver/vfs-saver.js";
import { storeSaver, temporaryPath, testedSavers } from "../testing/savers.js";

const secret = "sk-live-48151623";

/** Runs steps with a message each, and writes an archive file and a workspace content for each. */
async function write(saver: VfsSaver, threadId: string, steps: number): Promise<void> {
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("wait", () => ({ messages: [new HumanMessage("go on")] }))
    .addEdge(START, "wait")
    .compile({ checkpointer: saver });
  for (let step = 0; step < steps; step++) {
    const text = `step ${step} of ${threadId} says ${secret}: ${"words ".repeat(200)}`;
    await graph.invoke({ messages: [new HumanMessage(text)] }, { configurable: { thread_id: threadId } });
    await saver.files.archive(threadId).append(`/context/tools/${step}.txt`, text);
    await saver.files.blobs.of(threadId).put(Buffer.from(`${threadId} ${step}`));
  }
}

describe.each([...testedSavers, storeSaver])("sizes on $name", ({ create }) => {
  it("count nothing in an empty storage", async () => {
    const saver = await create();
    const none = { rows: 0, bytes: 0 };
    expect(await saver.sizes()).toMatchObject({
      contents: none,
      archive: none,
      files: none,
      erased: { erasures: 0, threads: 0, texts: 0, bytes: 0 },
    });
    await saver.close();
  });

  it("count the files of each kind, and their bytes", async () => {
    const saver = await create();
    await write(saver, "a", 3);
    const before = await saver.sizes();
    await write(saver, "b", 2);
    const after = await saver.sizes();
    expect(after.archive.rows - before.archive.rows).toBeGreaterThanOrEqual(2);
    const contents: number[] = [];
    for await (const { size } of saver.files.driver.list("/blobs")) contents.push(size);
    // An encrypted content takes more bytes than it has.
    expect(Math.min(...contents)).toBeGreaterThanOrEqual("a 0".length);
    expect(after.files).toEqual({ rows: 5, bytes: contents.reduce((sum, size) => sum + size, 0) });
    expect(after.contents.rows).toBeGreaterThan(before.contents.rows);
    const archived: number[] = [];
    for await (const { size } of saver.files.driver.list("/threads")) archived.push(size);
    expect(after.archive).toEqual({
      rows: archived.length,
      bytes: archived.reduce((sum, size) => sum + size, 0),
    });
    await saver.close();
  });

  it("count what was erased", async () => {
    const saver = await create();
    await write(saver, "a", 2);
    await write(saver, "b", 1);
    await saver.erase({ match: secret, reason: "leaked", dryRun: true });
    expect((await saver.sizes()).erased.erasures).toBe(0);
    const { threads } = await saver.erase({ match: secret, reason: "leaked" });
    const texts = threads.reduce((sum, thread) => sum + thread.texts, 0);
    // A message and an archive file for each step.
    expect(threads.map(({ threadId, texts: own }) => [threadId, own >= 2])).toEqual([
      ["a", true],
      ["b", true],
    ]);
    expect((await saver.sizes()).erased).toEqual({
      erasures: 1,
      threads: 2,
      texts,
      bytes: texts * secret.length,
    });
    await saver.erase({ match: secret, reason: "leaked" });
    await saver.erase({ thread: "b", reason: "asked" });
    expect((await saver.sizes()).erased).toMatchObject({ erasures: 2, threads: 3, texts });
    await saver.close();
  });
});

it("counts the rows of every table of a SQLite file, and its pages", async () => {
  const path = temporaryPath();
  const saver = VfsSaver.fromPath(path);
  await write(saver, "a", 30);
  const { checkpoints, contents, disk } = await saver.sizes();
  await saver.close();
  const database = new Database(path);
  const sizeOf = (table: string) => {
    const sql = `SELECT count(*) AS rows, sum(length(data)) AS bytes FROM ${table}`;
    const { rows, bytes } = database.prepare(sql).get() as { readonly rows: number; readonly bytes: number };
    return { rows, bytes };
  };
  const [own, writes] = [sizeOf("checkpoints"), sizeOf("writes")];
  expect(own.rows).toBeGreaterThan(60);
  expect(writes.rows).toBeGreaterThan(30);
  expect(checkpoints).toEqual({ rows: own.rows + writes.rows, bytes: own.bytes + writes.bytes });
  expect(contents).toEqual(sizeOf("blobs"));
  database.close();
  expect(disk).toBe(statSync(path).size);
});

it("counts the index of the saver", async () => {
  const index = {
    removeThread: async () => Promise.resolve(),
    size: async () => Promise.resolve({ rows: 7, bytes: 900 }),
  };
  const saver = VfsSaver.fromPath(temporaryPath(), { index });
  expect((await saver.sizes()).index).toEqual({ rows: 7, bytes: 900 });
  await saver.close();
});
