import type { RunnableConfig } from "@langchain/core/runnables";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { storeSaver, testedSavers } from "../../testing/savers.js";
import type { VfsSaver } from "../vfs-saver.js";

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

describe("retain", () => {
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
