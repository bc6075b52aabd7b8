import type { RunnableConfig } from "@langchain/core/runnables";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { describe, expect, it, vi } from "vitest";
import { LibsqlDriver } from "../../drivers/libsql-driver.js";
import { LibsqlDatabase } from "../../engines/libsql/libsql-database.js";
import { LibsqlEngine } from "../../engines/libsql/libsql-engine.js";
import { storeSaver, temporaryPath, testedSavers } from "../../testing/savers.js";
import { VfsSaver } from "../vfs-saver.js";

const day = 86_400_000;
const now = Date.parse("2026-06-01T00:00:00.000Z");
const daysAgo = (days: number): Date => new Date(now - days * day);

/** Puts a checkpoint for each age in days, oldest first, and an archive file. Returns their ids. */
async function write(
  saver: VfsSaver,
  threadId: string,
  ages: readonly (number | { readonly age: number; readonly tag: string })[],
): Promise<readonly string[]> {
  let config: RunnableConfig = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
  const ids: string[] = [];
  for (const [step, given] of ages.entries()) {
    const { age, ...tagged } = typeof given === "number" ? { age: given } : given;
    const checkpoint = {
      v: 4,
      id: uuid6(step),
      ts: daysAgo(age).toISOString(),
      channel_values: { note: `${threadId} ${age} `.repeat(400) },
      channel_versions: { note: step + 1.5 },
      versions_seen: {},
    };
    const about = { source: "loop" as const, step, parents: {}, ...tagged };
    config = await saver.put(config, checkpoint, about, { note: step + 1.5 });
    ids.push(checkpoint.id);
  }
  await saver.files.archive(threadId).append("/context/history/1.jsonl", threadId);
  return ids;
}

/** Returns the ages in days of the checkpoints of a thread, newest first, and reads their values. */
async function agesOf(saver: VfsSaver, threadId: string): Promise<number[]> {
  const ages: number[] = [];
  for await (const { checkpoint } of saver.list({ configurable: { thread_id: threadId } })) {
    const age = (now - Date.parse(checkpoint.ts)) / day;
    expect(checkpoint.channel_values["note"]).toBe(`${threadId} ${age} `.repeat(400));
    ages.push(age);
  }
  return ages;
}

describe.each([...testedSavers, storeSaver])("retention on $name", ({ create }) => {
  it("prune deletes by age, and keeps the newest and what a tag names", async () => {
    const saver = await create();
    await write(saver, "a", [40, { age: 30, tag: "release" }, 20, 10, 1]);
    const options = { olderThan: daysAgo(15), keepTagged: ["release"] };
    expect(await saver.prune("a", { ...options, dryRun: true })).toMatchObject({ checkpoints: 2 });
    expect(await agesOf(saver, "a")).toEqual([1, 10, 20, 30, 40]);
    expect(await saver.prune("a", options)).toMatchObject({ checkpoints: 2 });
    expect(await agesOf(saver, "a")).toEqual([1, 10, 30]);
    expect(await saver.prune("a", { olderThan: daysAgo(0), keepLast: 2 })).toMatchObject({ checkpoints: 1 });
    expect(await agesOf(saver, "a")).toEqual([1, 10]);
  });

  it("prune keeps the newest checkpoint, however old it is", async () => {
    const saver = await create();
    await write(saver, "a", [90, 80]);
    await saver.prune("a", { olderThan: daysAgo(0) });
    expect(await agesOf(saver, "a")).toEqual([80]);
  });

  it("retain deletes idle threads with their archives and prunes the others, a part of them in each call", async () => {
    const saver = await create();
    await write(saver, "a", [200, 190]);
    await write(saver, "b", [200, 30, 20, 1]);
    const policy = { keepLast: 2, olderThan: daysAgo(25), idleSince: daysAgo(100) };
    const planned = await saver.retain({ ...policy, dryRun: true });
    expect(planned).toMatchObject({ visited: 2, deleted: ["a"], checkpoints: 2, next: undefined });
    expect([...(await saver.threads())].toSorted()).toEqual(["a", "b"]);
    const first = await saver.retain({ ...policy, maxThreads: 1 });
    expect(first).toMatchObject({ visited: 1, deleted: ["a"], checkpoints: 0, failed: [], next: "a" });
    const second = await saver.retain({ ...policy, maxThreads: 1, after: first.next ?? "" });
    expect(second).toMatchObject({ visited: 1, deleted: [], checkpoints: 2, failed: [], next: undefined });
    expect(await saver.threads()).toEqual(["b"]);
    expect(await agesOf(saver, "b")).toEqual([1, 20]);
    expect(await saver.files.archive("a").has("/context/history/1.jsonl")).toBe(false);
    expect(await saver.files.archive("b").readText("/context/history/1.jsonl")).toBe("b");
  });

  it("retain keeps the archives of idle threads where it is told to", async () => {
    const saver = await create();
    await write(saver, "a", [200]);
    await saver.retain({ idleSince: daysAgo(100), keepArchives: true });
    expect(await saver.threads()).toEqual([]);
    expect(await saver.files.archive("a").readText("/context/history/1.jsonl")).toBe("a");
  });

  it("retain keeps every thread that a run continues meanwhile", async () => {
    const saver = await create();
    await write(saver, "a", [200, 190]);
    await write(saver, "b", [1]);
    await saver.retain({ idleSince: daysAgo(195) });
    expect([...(await saver.threads())].toSorted()).toEqual(["a", "b"]);
  });
});

/** More threads than a page of ids. */
const many = 300;

/** A place of one thread among many, whose ids do not sort as they are numbered, nor as JavaScript compares them. */
const nameOf = (at: number): string => `${["u", "\u{1f600}", "\uffee"][at % 3]}/${at}`;

/** Writes many threads of two small checkpoints. Every tenth is idle. */
async function writeMany(saver: VfsSaver): Promise<readonly string[]> {
  const names = Array.from({ length: many }, (_, at) => nameOf(at));
  const writeOne = async (threadId: string, at: number): Promise<void> => {
    let config: RunnableConfig = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
    for (const [step, age] of [220, at % 10 === 0 ? 200 : 20].entries()) {
      const about = { v: 4, id: uuid6(step), ts: daysAgo(age).toISOString() };
      const checkpoint = { ...about, channel_values: {}, channel_versions: {}, versions_seen: {} };
      config = await saver.put(config, checkpoint, { source: "loop", step, parents: {} }, {});
    }
  };
  for (let at = 0; at < many; at += 50)
    await saver.together(async () => {
      const some = names.slice(at, at + 50);
      await Promise.all(some.map(async (name, index) => writeOne(name, at + index)));
    });
  return names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

describe.each([...testedSavers, storeSaver])("retention of many threads on $name", ({ create }) => {
  it("visits each of them once, in the order of their bytes, in whatever parts", async () => {
    const saver = await create();
    const names = await writeMany(saver);
    const policy = { keepLast: 1, idleSince: daysAgo(100) };
    const idle = names.filter((name) => Number(name.split("/")[1]) % 10 === 0);
    const counts = { visited: many, checkpoints: many - idle.length, failed: [], next: undefined };
    const planned = await saver.retain({ ...policy, dryRun: true });
    expect(planned).toMatchObject({ ...counts, deleted: idle });
    const deleted: string[] = [];
    const visited: number[] = [];
    for (let after: string | undefined = ""; after !== undefined;) {
      const part = await saver.retain({ ...policy, after, maxThreads: 100 });
      deleted.push(...part.deleted);
      visited.push(part.visited);
      expect(part.next === undefined || names.indexOf(part.next) === 100 * visited.length - 1).toBe(true);
      after = part.next;
    }
    expect({ deleted, visited }).toEqual({ deleted: idle, visited: [100, 100, 100] });
    expect(await saver.threads({ prefix: "" })).toEqual(names.filter((name) => !idle.includes(name)));
    expect(await saver.retain(policy)).toMatchObject({ visited: many - idle.length, checkpoints: 0 });
    await saver.close();
  });
});

describe("retain", () => {
  it("asks for the next page of threads when it has visited those of the page before, and never for all", async () => {
    const database = new LibsqlDatabase(temporaryPath());
    const engine = new LibsqlEngine(database);
    const saver = new VfsSaver({ engine, driver: new LibsqlDriver(database) });
    const names = await writeMany(saver);
    const all = vi.spyOn(engine, "threads");
    const pages: { readonly limit: number | undefined; readonly ids: readonly string[] }[] = [];
    const visited = new Set<string>();
    const early: string[] = [];
    const { threadsIn, list } = { threadsIn: engine.threadsIn.bind(engine), list: engine.list.bind(engine) };
    engine.threadsIn = async (range) => {
      early.push(...pages.flatMap(({ ids }) => ids).filter((id) => !visited.has(id)));
      const ids = await threadsIn(range);
      pages.push({ limit: range.limit, ids });
      return ids;
    };
    engine.list = (query) => {
      visited.add(query.threadId ?? "");
      return list(query);
    };
    const { deleted } = await saver.retain({ keepLast: 1, idleSince: daysAgo(100) });
    expect(deleted).toHaveLength(many / 10);
    expect([...visited]).toEqual(names);
    expect(all).not.toHaveBeenCalled();
    expect(pages.map(({ limit }) => limit)).toEqual([256, 256]);
    expect(pages.map(({ ids }) => ids.length)).toEqual([256, many - 256]);
    expect(early).toEqual([]);
    pages.length = 0;
    await saver.retain({ keepLast: 1, maxThreads: 10 });
    expect(pages.map(({ limit }) => limit)).toEqual([11]);
    await saver.close();
  });

  it("deletes the other idle threads when one cannot be deleted, and names that one", async () => {
    const saver = await storeSaver.create();
    for (const name of ["a", "b", "c"]) await write(saver, name, [200]);
    const { driver } = saver.files;
    const refuse = driver.delete.bind(driver);
    driver.delete = async (path, options) => {
      if (path.includes("/b/")) throw new Error("refused");
      return refuse(path, options);
    };
    const retained = await saver.retain({ idleSince: daysAgo(100) });
    expect(retained).toMatchObject({ visited: 3, deleted: ["a", "c"], failed: [{ threadId: "b" }] });
  });

  it.each([
    [{}, "retain is given nothing to delete: pass keepLast, olderThan or idleSince."],
    [{ idleSince: "30d" }, "idleSince is 30d. Pass a Date"],
    [{ keepLast: 0 }, "keepLast is 0. Pass { keepLast } with a whole number of at least 1."],
    [{ keepLast: 1, maxThreads: 0 }, "maxThreads is 0: pass a whole number of at least 1."],
    [{ keepLast: 1, maxThreads: 1.5 }, "maxThreads is 1.5: pass a whole number of at least 1."],
    [{ keepLast: 1, keepTags: [] }, "keepTags is not an option"],
    [{ keepLast: 1, keepTagged: "release" }, 'keepTagged is "release". Pass a list of tags'],
  ])("refuses %j", async (options, message) => {
    const saver = await storeSaver.create();
    await expect(saver.retain(options as never)).rejects.toMatchObject({
      code: "bad-option",
      message: expect.stringContaining(message),
    });
  });
});
