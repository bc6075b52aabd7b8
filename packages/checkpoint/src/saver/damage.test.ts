import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { emptyCheckpoint, MemorySaver, uuid6 } from "@langchain/langgraph-checkpoint";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { MemoryDriver } from "@palimpsest/vfs";
import { hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { statSync, truncateSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { pack } from "../codec/packing/pack.js";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { contentsAt, notebook } from "../testing/notebook.js";
import { temporaryPath } from "../testing/savers.js";
import { VfsSaver } from "./vfs-saver.js";

const config = { configurable: { thread_id: "t" } };
const named = expect.stringContaining('The thread "t" cannot be read.');

const libsql = createRequire(import.meta.url).resolve("libsql");

/** A thread that holds the lock of a new file, as a process does that creates its tables. */
const holdLock = `
  const { parentPort, workerData } = require("node:worker_threads");
  const Database = require(workerData.libsql);
  const database = new Database(workerData.path);
  database.exec("BEGIN EXCLUSIVE");
  parentPort.postMessage("held");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData.milliseconds);
  database.exec("ROLLBACK");
  database.close();`;

const repeated = (count: number): string => `${count} `.repeat(400);

/** A text that hardly compresses. */
const noise = (count: number): string =>
  Array.from({ length: 40 }, (_, part) => hash("sha256", `${count} ${part}`, "base64")).join("");

async function talk(saver: VfsSaver, turns: number, text = repeated): Promise<void> {
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("answer", (state) => ({ messages: [new AIMessage(text(state.messages.length))] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
  for (let turn = 0; turn < turns; turn++) await graph.invoke({ messages: [new HumanMessage("hi")] }, config);
}

async function written(turns = 20): Promise<string> {
  const path = temporaryPath();
  const saver = VfsSaver.fromPath(path);
  await talk(saver, turns);
  await saver.close();
  return path;
}

function pagesOf(path: string): number {
  const database = new LibsqlDatabase(path);
  const pages = Number(database.get("PRAGMA page_count")?.["page_count"]);
  database.close();
  return pages;
}

function change(path: string, sql: string, ...values: readonly (string | Uint8Array)[]): void {
  const database = new LibsqlDatabase(path);
  if (values.length > 0) database.run(sql, ...values);
  else database.exec(sql);
  database.close();
}

describe("damage is found, with the name of the thread,", () => {
  it.each([
    ["changed bytes", pack(Buffer.from("something else"))],
    ["bytes that do not unpack", Buffer.from([1, 9, 0, 0, 0, 1])],
  ])("when a blob has %s", async (_, bytes) => {
    const path = await written();
    change(path, "UPDATE blobs SET data = ?", bytes);
    const saver = VfsSaver.fromPath(path);
    await expect(saver.getTuple(config)).rejects.toMatchObject({ code: "corrupt", message: named });
    await saver.close();
  });

  it.each([
    ["changed", (data: Buffer) => data.fill(data[60] ?? 0, 0, 16)],
    ["cut", (data: Buffer) => data.subarray(0, data.length / 2)],
    ["empty", () => Buffer.alloc(0)],
  ])("when a bundle is %s", async (_, damage) => {
    const path = await written(40);
    const database = new LibsqlDatabase(path);
    const row = database.get("SELECT data FROM bundles LIMIT 1");
    database.run("UPDATE bundles SET data = ?", damage(Buffer.from(row?.["data"] as Uint8Array)));
    database.close();
    const saver = VfsSaver.fromPath(path);
    await expect(saver.getTuple(config)).rejects.toMatchObject({ code: "corrupt", message: named });
    await saver.close();
  });

  it("when a blob is missing", async () => {
    const path = await written();
    change(path, "DELETE FROM blobs WHERE id % 2 = 0");
    const saver = VfsSaver.fromPath(path);
    await expect(saver.getTuple(config)).rejects.toMatchObject({ code: "missing-blob", message: named });
    await saver.close();
  });

  it.each([
    ["row", "corrupt", "UPDATE checkpoints SET data = x'00' WHERE seq = 5"],
    ["value", "missing-blob", "DELETE FROM blobs WHERE id = 5"],
  ])(
    "when a %s in the middle of a history is damaged, after the checkpoints before it",
    async (_, code, sql) => {
      const path = temporaryPath();
      const saver = VfsSaver.fromPath(path);
      let at: RunnableConfig = { configurable: { thread_id: "t", checkpoint_ns: "" } };
      for (let turn = 1; turn <= 12; turn++) {
        const values = { note: `${turn} `.repeat(900) };
        const checkpoint = { ...emptyCheckpoint(), id: uuid6(turn), channel_values: values };
        at = await saver.put(at, checkpoint, { source: "loop", step: turn, parents: {} }, { note: turn });
      }
      await saver.close();
      change(path, sql);
      const damaged = VfsSaver.fromPath(path);
      const read: unknown[] = [];
      const history = async (): Promise<void> => {
        for await (const { metadata } of damaged.history("t")) read.push(metadata?.step);
      };
      await expect(history()).rejects.toMatchObject({ code });
      expect(read).toEqual([12, 11, 10, 9, 8, 7, 6]);
      await damaged.close();
    },
  );

  it("when the file was truncated", async () => {
    const path = await written();
    truncateSync(path, 24_000);
    const read = async (): Promise<unknown> => {
      const saver = VfsSaver.fromPath(path);
      return saver.getTuple(config).finally(async () => saver.close());
    };
    await expect(read()).rejects.toMatchObject({ code: "corrupt" });
  });

  it("in pages of some threads leaves the others readable to the process that has met it", async () => {
    const path = temporaryPath();
    const saver = VfsSaver.fromPath(path);
    const threads = Array.from({ length: 8 }, (_, index) => ({
      configurable: { thread_id: `t${index}`, checkpoint_ns: "" },
    }));
    for (const thread of threads) {
      const note = randomBytes(50_000).toString("hex");
      const checkpoint = { ...emptyCheckpoint(), channel_values: { note }, channel_versions: { note: 1 } };
      await saver.put(thread, checkpoint, { source: "loop", step: 0, parents: {} }, { note: 1 });
    }
    await saver.close();
    truncateSync(path, Math.floor(0.85 * statSync(path).size));
    const readable = async (
      wanted: typeof threads,
      reader = VfsSaver.fromPath(path, { readOnly: true }),
    ): Promise<boolean[]> => {
      const read: boolean[] = [];
      for (const thread of wanted)
        read.push(
          await reader.getTuple(thread).then(
            () => true,
            () => false,
          ),
        );
      await reader.close();
      return read;
    };
    const alone = (await Promise.all(threads.map(async (thread) => readable([thread])))).flat();
    expect(alone.filter(Boolean).length).toBeGreaterThan(1);
    expect(await readable(threads.toReversed())).toEqual(alone.toReversed());
  });

  it("when the file is not a database, or belongs to another application", async () => {
    const path = temporaryPath();
    writeFileSync(path, "not a database at all, but long enough to be looked at ".repeat(100));
    expect(() => VfsSaver.fromPath(path)).toThrow(expect.objectContaining({ code: "not-a-database" }));
    const foreign = await written();
    change(foreign, "PRAGMA application_id = 1");
    expect(() => VfsSaver.fromPath(foreign)).toThrow(expect.objectContaining({ code: "not-a-database" }));
    expect(() => VfsSaver.fromPath("/nowhere/at/all.db")).toThrow(
      expect.objectContaining({ code: "not-a-database" }),
    );
  });

  it.each(["", " ", undefined])("when the path is %j", (path) => {
    expect(() => VfsSaver.fromPath(path as string)).toThrow(expect.objectContaining({ code: "bad-option" }));
  });

  it("and a file of an older version, which only pre-releases wrote, is refused", async () => {
    const path = await written();
    change(path, "PRAGMA user_version = 1");
    expect(() => VfsSaver.fromPath(path)).toThrow(expect.objectContaining({ code: "older-version" }));
  });

  it("and a file of a newer version is refused", async () => {
    const path = await written();
    change(path, "PRAGMA user_version = 99");
    expect(() => VfsSaver.fromPath(path)).toThrow(expect.objectContaining({ code: "newer-version" }));
  });
});

describe("a failing write", () => {
  it("on a full disk says so, loses nothing that was acknowledged, and can be repeated", async () => {
    const path = temporaryPath();
    const database = new LibsqlDatabase(path);
    const { page_count: pages } = database.get("PRAGMA page_count") ?? {};
    database.close();
    const saver = VfsSaver.fromPath(path, { maxPages: Number(pages) + 40 });
    await expect(talk(saver, 200)).rejects.toMatchObject({ code: "disk-full" });
    const kept = await saver.getTuple(config);
    await saver.close();
    const roomy = VfsSaver.fromPath(path);
    expect(await roomy.getTuple(config)).toEqual(kept);
    await talk(roomy, 3);
    await roomy.close();
  });

  it("at the largest size of a file succeeds when a thread that shares its values with another was deleted", async () => {
    const path = temporaryPath();
    const roomy = VfsSaver.fromPath(path);
    await talk(roomy, 10, noise);
    await roomy.copyThread("t", "copy");
    await talk(roomy, 10, noise);
    await roomy.prune("t", { keepLast: 1 });
    await roomy.close();
    const pages = pagesOf(path);
    const saver = VfsSaver.fromPath(path, { maxPages: pages });
    await saver.deleteThread("t");
    await talk(saver, 1);
    await saver.close();
    expect(pagesOf(path)).toBeLessThanOrEqual(pages);
  });

  it('waits for another writer, and is "busy" after the timeout', async () => {
    const path = temporaryPath();
    const saver = VfsSaver.fromPath(path, { busyTimeout: 50 });
    const other = new LibsqlDatabase(path);
    other.exec("BEGIN IMMEDIATE");
    await expect(talk(saver, 1)).rejects.toMatchObject({ code: "busy" });
    other.exec("ROLLBACK");
    await talk(saver, 1);
    other.close();
    await saver.close();
  });

  it("opens a file that another process is creating once that is done", async () => {
    const path = temporaryPath();
    const holder = new Worker(holdLock, { eval: true, workerData: { path, libsql, milliseconds: 300 } });
    const ended = once(holder, "exit");
    await once(holder, "message");
    const saver = VfsSaver.fromPath(path);
    await talk(saver, 1);
    expect((await saver.getTuple(config))?.checkpoint.channel_values["messages"]).toHaveLength(2);
    await saver.close();
    expect(await ended).toEqual([0]);
  });

  it("makes the next write send every blob again", async () => {
    const inner = new MemorySaver();
    const driver = new MemoryDriver();
    const saver = VfsSaver.wrap(inner, { blobs: driver });
    await talk(saver, 3);
    const write = driver.write.bind(driver);
    driver.write = async () => Promise.reject(new Error("unplugged"));
    await expect(talk(saver, 1)).rejects.toThrow("unplugged");
    driver.write = write;
    await talk(saver, 3);
    const reader = VfsSaver.wrap(inner, { blobs: driver });
    expect((await reader.getTuple(config))?.checkpoint.channel_values["messages"]).not.toHaveLength(0);
  });

  it("of a workspace file on a full disk says so, keeps what was acknowledged, and can be repeated", async () => {
    const driver = new MemoryDriver();
    const inner = new MemorySaver();
    const saver = VfsSaver.wrap(inner, { blobs: driver });
    await notebook(saver).invoke({ todo: { "/f": "one" } }, config);
    const write = driver.write.bind(driver);
    for (let written = 0, isDone = false; !isDone; written++) {
      let left = written;
      driver.write = async (...args) => {
        if (left-- > 0) return write(...args);
        throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      };
      const attempt = notebook(saver).invoke({ todo: { "/f": "two", "/g": "new" } }, config);
      isDone = await attempt.then(
        () => true,
        (error: unknown) => !String(error).includes("ENOSPC"),
      );
      driver.write = write;
      const contents = await contentsAt(VfsSaver.wrap(inner, { blobs: driver }), config);
      expect([{ "/f": "one" }, { "/f": "two", "/g": "new" }]).toContainEqual(contents);
    }
    expect(await contentsAt(saver, config)).toEqual({ "/f": "two", "/g": "new" });
  });

  it("is refused after the saver was closed", async () => {
    const saver = VfsSaver.fromPath(temporaryPath());
    await saver.close();
    await expect(talk(saver, 1)).rejects.toMatchObject({ code: "closed" });
  });
});

describe("a config without a thread", () => {
  it.each([[undefined], [""], [7]])("is refused: %j", async (id) => {
    const saver = VfsSaver.inMemory();
    const given = { configurable: { thread_id: id } };
    await expect(saver.putWrites(given, [], "task")).rejects.toMatchObject({ code: "bad-option" });
  });
});
