import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { randomBytes } from "node:crypto";
import { copyFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CheckpointEntry } from "./checkpoint-entries.js";
import { temporaryPath, testedSavers } from "../testing/savers.js";
import { VfsSaver } from "./vfs-saver.js";

const config = { configurable: { thread_id: "t" } };

async function talk(saver: VfsSaver, threadId = "t"): Promise<void> {
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("answer", () => ({ messages: [new AIMessage("yes")] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: [new HumanMessage("ready?")] }, { configurable: { thread_id: threadId } });
}

async function writtenPath(): Promise<string> {
  const path = temporaryPath();
  const saver = VfsSaver.fromPath(path);
  await talk(saver);
  await saver.files.thread("t").archive.append("/context/x.md", "an original");
  await saver.close();
  return path;
}

async function lengthOf(saver: VfsSaver): Promise<number> {
  const tuple = await saver.getTuple(config);
  return (tuple?.checkpoint.channel_values["messages"] as unknown[] | undefined)?.length ?? 0;
}

describe("a saver that is opened read-only", () => {
  it("reads checkpoints and files, refuses every write, and leaves each byte of the file as it is", async () => {
    const path = await writtenPath();
    const before = readFileSync(path);
    const saver = VfsSaver.fromPath(path, { readOnly: true });
    expect(await lengthOf(saver)).toBe(2);
    expect(await saver.files.thread("t").archive.readText("/context/x.md")).toBe("an original");
    await expect(talk(saver)).rejects.toMatchObject({ code: "read-only" });
    await expect(saver.deleteThread("t")).rejects.toMatchObject({ code: "read-only" });
    await saver.close();
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("sees what another saver writes meanwhile", async () => {
    const path = await writtenPath();
    const [writer, reader] = [VfsSaver.fromPath(path), VfsSaver.fromPath(path, { readOnly: true })];
    await talk(writer);
    expect(await lengthOf(reader)).toBe(4);
    await reader.close();
    await writer.close();
  });

  it("refuses a path without a database, and a file of another kind", () => {
    const path = temporaryPath();
    const open = (): VfsSaver => VfsSaver.fromPath(path, { readOnly: true });
    expect(open).toThrow(expect.objectContaining({ code: "not-found" }));
    writeFileSync(path, "");
    expect(open).toThrow(expect.objectContaining({ code: "older-version" }));
    writeFileSync(path, "not a database, but long enough to be looked at ".repeat(100));
    expect(open).toThrow(expect.objectContaining({ code: "not-a-database" }));
  });
});

/** Returns the file and the log that a killed process has left of it, of which the log holds the newest step. */
async function killedFile(): Promise<{ readonly path: string; readonly log: string }> {
  const [path, left] = [await writtenPath(), temporaryPath()];
  const saver = VfsSaver.fromPath(path);
  await talk(saver);
  copyFileSync(path, left);
  copyFileSync(`${path}-wal`, `${left}-wal`);
  await saver.close();
  return { path: left, log: `${left}-wal` };
}

describe("the log that a killed process has left", () => {
  it("is read with its file by a reader, which changes neither", async () => {
    const { path, log } = await killedFile();
    const before = [readFileSync(path), readFileSync(log)];
    const saver = VfsSaver.fromPath(path, { readOnly: true });
    expect(await lengthOf(saver)).toBe(4);
    const copy = temporaryPath();
    VfsSaver.backup(path, copy);
    await saver.close();
    expect([readFileSync(path), readFileSync(log)]).toEqual(before);
    const copied = VfsSaver.fromPath(copy, { readOnly: true });
    expect(await lengthOf(copied)).toBe(4);
    await copied.close();
  });

  it("costs a file in whose place another was put nothing, as long as it is only read", async () => {
    const { log } = await killedFile();
    const other = await writtenPath();
    const before = readFileSync(other);
    copyFileSync(log, `${other}-wal`);
    const saver = VfsSaver.fromPath(other, { readOnly: true });
    await saver.threads().catch(() => []);
    await saver.close();
    expect(readFileSync(other).equals(before)).toBe(true);
  });

  it.each([
    ["is gone", (path: string) => rmSync(path)],
    ["is empty", (path: string) => truncateSync(path)],
  ])("is not deleted where its file %s, and is whole once that is back", async (_, lose) => {
    const { path, log } = await killedFile();
    const [file, before] = [readFileSync(path), readFileSync(log)];
    lose(path);
    expect(() => VfsSaver.fromPath(path)).toThrow(
      expect.objectContaining({
        code: "conflict",
        message: expect.stringContaining(`its log ${log} is there`),
      }),
    );
    expect(readFileSync(log).equals(before)).toBe(true);
    writeFileSync(path, file);
    const saver = VfsSaver.fromPath(path);
    expect(await lengthOf(saver)).toBe(4);
    await saver.close();
  });
});

describe("a backup", () => {
  it("holds what was written until then, while the saver goes on", async () => {
    const [path, copy] = [await writtenPath(), temporaryPath("copy.db")];
    const saver = VfsSaver.fromPath(path);
    VfsSaver.backup(path, copy);
    await talk(saver);
    await saver.close();
    const copied = VfsSaver.fromPath(copy, { readOnly: true });
    expect(await lengthOf(copied)).toBe(2);
    expect(await copied.files.thread("t").archive.readText("/context/x.md")).toBe("an original");
    await copied.close();
  });

  it("replaces no file", async () => {
    const path = await writtenPath();
    expect(() => VfsSaver.backup(path, path)).toThrow(expect.objectContaining({ code: "conflict" }));
  });

  it("of a damaged file leaves nothing behind if it fails", async () => {
    const path = temporaryPath();
    const saver = VfsSaver.fromPath(path);
    await saver.files.thread("t").archive.append("/context/long.txt", randomBytes(2_000_000).toString("hex"));
    await saver.close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(255, bytes.length - 40_960, bytes.length - 4096));
    const copy = join(dirname(path), "copy.db");
    expect(() => VfsSaver.backup(path, copy)).toThrow(expect.objectContaining({ code: "corrupt" }));
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith("copy"))).toEqual([]);
  });
});

it.each(testedSavers)(
  "$name lists its threads, and the checkpoints of one with their parents and steps",
  async ({ create }) => {
    const saver = await create();
    await talk(saver, "a");
    await talk(saver, "b");
    const entries: CheckpointEntry[] = [];
    for await (const entry of saver.checkpoints("a")) entries.push(entry);
    expect(entries.map(({ step }) => step)).toEqual([1, 0, -1]);
    expect(entries.map(({ parentId }) => parentId)).toEqual([entries[1]?.id, entries[2]?.id, undefined]);
    expect([...(await saver.threads())].sort()).toEqual(["a", "b"]);
    await saver.close();
  },
);
