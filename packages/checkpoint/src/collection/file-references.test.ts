import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemoryDriver, type DriverDeleteOptions, type DriverEntry } from "@palimpsest/vfs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { interleave } from "../testing/interleave.js";
import { contentsAt, notebook, written } from "../testing/notebook.js";
import { storeSaver, testedSavers } from "../testing/savers.js";
import type { CheckpointError } from "../checkpoint-error.js";
import { VfsSaver } from "../saver/vfs-saver.js";

const config = (threadId: string) => ({ configurable: { thread_id: threadId } });
const write = async (saver: VfsSaver, threadId: string, todo: Record<string, string>) =>
  notebook(saver).invoke({ todo }, config(threadId));

async function stored(saver: VfsSaver): Promise<number> {
  let blobs = 0;
  for await (const { path } of saver.files.driver.list("/blobs")) if (path !== "") blobs += 1;
  return blobs;
}

async function references(saver: VfsSaver): Promise<string[]> {
  const paths = [];
  for await (const { path } of saver.files.driver.list("/holds")) paths.push(path);
  return paths;
}

afterEach(() => {
  vi.useRealTimers();
});

const savers = [...testedSavers, storeSaver];

describe.each(savers)("contents of workspace files on $name", ({ create }) => {
  it("are deleted with the last thread that references them, copies and states from other threads included", async () => {
    const saver = await create({ grace: 0 });
    await write(saver, "a", { "/shared": "shared", "/own": "own of a" });
    await write(saver, "b", { "/shared": "shared" });
    await saver.copyThread("a", "copy");
    const { values } = await notebook(saver).getState(config("a"));
    await notebook(saver).invoke({ files: values.files }, config("guest"));

    await saver.deleteThread("a");
    expect(await contentsAt(saver, config("copy"))).toEqual({ "/shared": "shared", "/own": "own of a" });
    await saver.deleteThread("copy");
    expect(await contentsAt(saver, config("guest"))).toEqual({ "/shared": "shared", "/own": "own of a" });
    await saver.deleteThread("guest");
    expect(await stored(saver)).toBe(1);
    expect(await contentsAt(saver, config("b"))).toEqual({ "/shared": "shared" });
    await saver.deleteThread("b");
    expect(await stored(saver)).toBe(0);
    expect(await references(saver)).toEqual([]);
    await saver.close();
  });

  it("stay while a kept checkpoint of any branch references them", async () => {
    const saver = await create({ grace: 0 });
    const graph = notebook(saver);
    await write(saver, "t", { "/f": "one", "/same": "same" });
    const first = (await graph.getState(config("t"))).config;
    await write(saver, "t", { "/f": "two" });
    await graph.invoke({ todo: { "/f": "three" } }, first);
    expect((await saver.prune("t", { keepLast: 100 })).files).toBe(0);
    expect(await contentsAt(saver, first)).toEqual({ "/f": "one", "/same": "same" });
    const { files } = await saver.prune("t", { keepLast: 1 });
    expect(files).toBe(2);
    expect(await contentsAt(saver, config("t"))).toEqual({ "/f": "three", "/same": "same" });
    await write(saver, "t", { "/f": "one" });
    expect(await contentsAt(saver, config("t"))).toEqual({ "/f": "one", "/same": "same" });
    await saver.close();
  });

  it("stay and are deleted in the same way when they are many and large", async () => {
    const saver = await create({ grace: 0 });
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`/${index}`, `file ${index}`]));
    await write(saver, "t", many);
    await write(saver, "t", { "/0": "x".repeat(300_000) });
    expect((await saver.prune("t", { keepLast: 1 })).files).toBe(1);
    expect(await contentsAt(saver, config("t"))).toEqual({ ...many, "/0": "x".repeat(300_000) });
    await saver.deleteThread("t");
    expect(await stored(saver)).toBe(0);
    await saver.close();
  });

  it("survive for a thread that takes a step at any moment of another's deletion", async () => {
    const saver = await create({ grace: 0 });
    for (let before = 1, calls = 1; before <= calls; before++) {
      await write(saver, "a", { "/f": "shared", "/g": `${before}` });
      calls = await interleave(saver.files.driver, async () => saver.deleteThread("a"), {
        before,
        meanwhile: async () => write(saver, "b", { "/f": "shared" }),
      });
      const expected = before <= calls ? { "/f": "shared" } : {};
      expect([before, await contentsAt(saver, config("b"))]).toEqual([before, expected]);
      await saver.deleteThread("b");
      expect(await stored(saver)).toBe(0);
    }
    await saver.close();
  });

  it("survive in a copy of a thread that takes a step at any moment of the copy", async () => {
    const saver = await create({ grace: 0 });
    for (let before = 1, calls = 1; before <= calls; before++) {
      await write(saver, "a", { "/f": `old ${before}` });
      calls = await interleave(saver.files.driver, async () => saver.copyThread("a", "copy"), {
        before,
        meanwhile: async () => write(saver, "a", { "/f": `new ${before}` }),
      });
      const copied = await notebook(saver).getState(config("copy"));
      const files = Object.keys(copied.values.files ?? {});
      await saver.deleteThread("a");
      expect([before, Object.keys(await contentsAt(saver, config("copy")))]).toEqual([before, files]);
      await saver.deleteThread("copy");
      expect([before, await stored(saver)]).toEqual([before, 0]);
    }
    await saver.close();
  });

  it("are in a copy, with the archive, unless the copy says that the thread was deleted meanwhile", async () => {
    const saver = await create({ grace: 0 });
    const archived = "/context/history/1.md";
    const ends: string[] = [];
    for (let turns = 0; turns < 400; turns += 8) {
      await write(saver, "a", { "/f": `${turns}` });
      await saver.files.archive("a").append(archived, "an original");
      const copying = saver.copyThread("a", "copy").then(
        () => "whole",
        ({ code }: CheckpointError) => code,
      );
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await saver.deleteThread("a");
      const end = await copying;
      ends.push(end);
      const whole = async () => [
        await contentsAt(saver, config("copy")),
        await saver.files.archive("copy").readText(archived),
      ];
      expect([turns, end === "whole" ? await whole() : end]).toEqual([
        turns,
        end === "whole" ? [{ "/f": `${turns}` }, "an original"] : "not-found",
      ]);
      await saver.deleteThread("copy");
    }
    expect(ends).toContain("not-found");
    await saver.close();
  });

  it("survive for a thread that goes back to them at any moment of its own collection", async () => {
    const saver = await create({ grace: 0 });
    for (let before = 1, calls = 1; before <= calls; before++) {
      await write(saver, "a", { "/f": "one" });
      await write(saver, "a", { "/f": "two" });
      calls = await interleave(saver.files.driver, async () => saver.prune("a", { keepLast: 1 }), {
        before,
        meanwhile: async () => write(saver, "a", { "/f": "one" }),
      });
      const expected = { "/f": before <= calls ? "one" : "two" };
      expect([before, await contentsAt(saver, config("a"))]).toEqual([before, expected]);
      await saver.prune("a", { keepLast: 1 });
      expect([before, await contentsAt(saver, config("a"))]).toEqual([before, expected]);
    }
    await saver.close();
  });
});

/** A driver whose server has a clock of its own: `ahead` milliseconds from that of this process. */
class OtherClock extends MemoryDriver {
  readonly #ahead: number;

  constructor(ahead: number) {
    super();
    this.#ahead = ahead;
  }

  override async stat(path: string): Promise<DriverEntry | undefined> {
    const entry = await super.stat(path);
    return entry && this.#dated(entry);
  }

  override async *list(prefix: string): AsyncIterable<DriverEntry> {
    for await (const entry of super.list(prefix)) yield this.#dated(entry);
  }

  override async delete(path: string, { ifWrittenBy }: DriverDeleteOptions = {}): Promise<boolean> {
    const by = ifWrittenBy === undefined ? {} : { ifWrittenBy: moved(ifWrittenBy, -this.#ahead) };
    return super.delete(path, by);
  }

  #dated(entry: DriverEntry): DriverEntry {
    return { ...entry, modifiedAt: moved(entry.modifiedAt, this.#ahead) };
  }
}

const moved = (time: string, by: number): string => new Date(Date.parse(time) + by).toISOString();

describe.each([
  ["behind", -10 * 86_400_000],
  ["ahead", 10 * 86_400_000],
])("contents of workspace files on a server whose clock is days %s", (_, ahead) => {
  const create = (grace: number) => VfsSaver.wrap(new MemorySaver(), { blobs: new OtherClock(ahead), grace });

  it("stay for a step that is not committed yet when another thread with the same is deleted or pruned", async () => {
    const saver = create(60_000);
    await write(saver, "a", { "/f": "shared" });
    await write(saver, "a", { "/f": "other" });
    const files = await written(saver, {}, { "/f": "shared" });
    expect((await saver.prune("a", { keepLast: 1 })).files).toBe(0);
    await saver.deleteThread("a");
    await notebook(saver).invoke({ files }, config("b"));
    expect(await contentsAt(saver, config("b"))).toEqual({ "/f": "shared" });
  });

  it("are deleted once they are older than the grace, and with an erasure at once", async () => {
    const old = create(0);
    await write(old, "a", { "/f": "old" });
    await old.deleteThread("a");
    expect(await stored(old)).toBe(0);
    const young = create(60_000);
    await write(young, "a", { "/f": "young" });
    await young.erase({ thread: "a", reason: "asked" });
    expect(await stored(young)).toBe(0);
  });
});

/** Fake timers do not change the clock of a Postgres server. */
const withOurClock = savers.filter(({ name }) => name !== "postgres");

describe.each(withOurClock)("old contents of workspace files on $name", ({ create }) => {
  it("outlive their thread by the grace, and are deleted with a later thread", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const saver = await create({ grace: 1000 });
    await write(saver, "a", { "/f": "young" });
    await saver.deleteThread("a");
    expect(await stored(saver)).toBe(1);
    await write(saver, "b", { "/g": "other" });
    vi.setSystemTime(Date.now() + 1001);
    await saver.deleteThread("b");
    expect(await stored(saver)).toBe(0);
    expect(await references(saver)).toEqual([]);
    await saver.close();
  });

  it("survive a deletion at any moment of a step that found them stored", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const saver = await create({ grace: 1000 });
    for (let before = 1, calls = 1; before <= calls; before++) {
      await write(saver, "a", { "/f": "shared" });
      vi.setSystemTime(Date.now() + 5000);
      calls = await interleave(saver.files.driver, async () => write(saver, "b", { "/f": "shared" }), {
        before,
        meanwhile: async () => saver.deleteThread("a"),
      });
      expect([before, await contentsAt(saver, config("b"))]).toEqual([before, { "/f": "shared" }]);
      vi.setSystemTime(Date.now() + 5000);
      await saver.deleteThread("a");
      expect(await contentsAt(saver, config("b"))).toEqual({ "/f": "shared" });
      await saver.deleteThread("b");
      expect(await stored(saver)).toBe(0);
    }
    await saver.close();
  });
});
