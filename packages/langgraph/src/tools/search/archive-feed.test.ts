import { RecallIndex } from "@palimpsest/recall";
import { VirtualFilesystem, type ThreadFiles } from "@palimpsest/vfs";
import { EventEmitter, once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { feedOf } from "./archive-feed.js";

const thread = "t";
const pathOf = (at: number): string => `/context/steps/${at}-abc.md`;

async function append({ archive }: ThreadFiles, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at++) {
    await archive.append(pathOf(at), `step ${at} of quokka${at}`);
    await archive.append(pathOf(at).replace(".md", ".jsonl"), `{"step":${at}}\n`);
  }
}

async function found(index: RecallIndex, at: number): Promise<string[]> {
  return (await index.search(`quokka${at}`, { thread })).map(({ path }) => path);
}

/** An index, and the archive of a thread that counts how often it is listed. */
function start() {
  const files = VirtualFilesystem.inMemory();
  const index = RecallIndex.inMemory();
  const own = files.thread(thread);
  const counts = { lists: 0, reads: 0 };
  const { archive } = own;
  const [listPaths, readBytes] = [archive.listPaths.bind(archive), archive.readBytes.bind(archive)];
  archive.listPaths = (...args) => (counts.lists++, listPaths(...args));
  archive.readBytes = (...args) => (counts.reads++, readBytes(...args));
  return { files, index, own, counts, feed: feedOf(files, index) };
}

it("indexes appended files automatically and soon, without reading them back", async () => {
  const { index, own, counts } = start();
  await append(own, 0, 100);
  await setTimeout(200);
  expect(await found(index, 3)).toEqual([pathOf(3)]);
  expect(await found(index, 99)).toEqual([pathOf(99)]);
  expect(counts).toEqual({ lists: 0, reads: 0 });
});

it("has indexed everything appended when an update resolves, and reads only files from before it listened", async () => {
  const { files, index, own, counts, feed } = start();
  await append(own, 0, 10);
  const late = RecallIndex.inMemory();
  const lateFeed = feedOf(files, late);
  await append(own, 10, 12);
  await Promise.all([lateFeed.update(own), lateFeed.update(own), feed.update(own)]);
  expect(counts).toEqual({ lists: 2, reads: 10 });
  for (const one of [index, late]) {
    const paths = Array.from({ length: 12 }, (_, at) => pathOf(at));
    expect(await one.missing(thread, [...paths, "/other"])).toEqual(["/other"]);
  }
});

it("finds files that another filesystem wrote, by listing again", async () => {
  const { files, index, own, feed } = start();
  await feed.update(own);
  const other = new VirtualFilesystem({ driver: files.driver }).thread(thread);
  await append(other, 0, 3);
  expect(await feed.list(own)).toBe(3);
  expect(await found(index, 2)).toEqual([pathOf(2)]);
});

it("indexes listed files in the order of the steps", async () => {
  const { files, own } = start();
  await append(own, 0, 120);
  const index = RecallIndex.inMemory();
  await feedOf(files, index).update(own);
  const hits = await index.search("step", { thread, limit: 20 });
  const steps = hits.map(({ path }) => Number(/\d+/.exec(path)?.[0]));
  expect(steps).toEqual(steps.toSorted((one, other) => one - other));
  expect(steps).toHaveLength(20);
});

it("goes on when the index fails, and indexes the missed files later", async () => {
  const { index, own, feed } = start();
  await feed.update(own);
  const addFiles = index.addFiles.bind(index);
  index.addFiles = () => Promise.reject(new Error("disk I/O error"));
  await append(own, 0, 3);
  await feed.update(own);
  index.addFiles = addFiles;
  await feed.update(own);
  expect(await found(index, 1)).toEqual([pathOf(1)]);
});

it("fills an index that was reset between two updates", async () => {
  const { index, own, feed } = start();
  await append(own, 0, 3);
  await feed.update(own);
  await index.removeThread(thread);
  await append(own, 3, 4);
  await feed.update(own);
  for (const at of [0, 3]) expect(await found(index, at)).toEqual([pathOf(at)]);
});

it("reports the progress of a first filling after 8 seconds, soon when asked again, and goes on to fill the index", async () => {
  const { files, own } = start();
  await append(own, 0, 100);
  const index = RecallIndex.inMemory();
  const feed = feedOf(files, index);
  const readBytes = own.archive.readBytes.bind(own.archive);
  const gate = new EventEmitter();
  const held = once(gate, "held");
  own.archive.readBytes = async (path) => {
    if (path === pathOf(99)) {
      gate.emit("held");
      await once(gate, "open");
    }
    return readBytes(path);
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const updated = feed.update(own);
  await held;
  vi.advanceTimersByTime(8_000);
  vi.useRealTimers();
  expect(await updated).toEqual({ added: 96, of: 100 });
  expect(await found(index, 3)).toEqual([pathOf(3)]);
  expect(await found(index, 99)).toEqual([]);
  const again = performance.now();
  expect(await feed.update(own)).toEqual({ added: 96, of: 100 });
  expect(performance.now() - again).toBeLessThan(4_000);
  gate.emit("open");
  await feed.list(own);
  expect(await feed.update(own)).toBeUndefined();
  expect(await found(index, 99)).toEqual([pathOf(99)]);
});

it("answers from an index that was complete once while a slow archive is listed", async () => {
  const { files, index, own, feed } = start();
  await append(own, 0, 3);
  await feed.update(own);
  const again = new VirtualFilesystem({ driver: files.driver });
  const slow = again.thread(thread);
  const listPaths = slow.archive.listPaths.bind(slow.archive);
  const gate = new EventEmitter();
  slow.archive.listPaths = async function* (...args) {
    await once(gate, "open");
    yield* listPaths(...args);
  };
  const restarted = feedOf(again, index);
  await restarted.update(slow);
  expect(await found(index, 2)).toEqual([pathOf(2)]);
  await append(own, 3, 4);
  gate.emit("open");
  await restarted.list(slow);
  expect(await found(index, 3)).toEqual([pathOf(3)]);
});
