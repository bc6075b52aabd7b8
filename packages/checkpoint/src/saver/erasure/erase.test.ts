import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Document } from "@langchain/core/documents";
import { MemorySaver, uuid6 } from "@langchain/langgraph-checkpoint";
import { MemoryBackend, MemoryDriver, type FileDriver } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { LibsqlDriver } from "../../drivers/libsql-driver.js";
import { LibsqlDatabase } from "../../engines/libsql/libsql-database.js";
import { LibsqlEngine } from "../../engines/libsql/libsql-engine.js";
import { DriverBlobs } from "../../engines/wrapped/driver-blobs.js";
import { SaverEngine } from "../../engines/wrapped/saver-engine.js";
import type { Engine } from "../../engine.js";
import { graphSavers } from "../../testing/graph-savers.js";
import { storeSaver, temporaryPath, testedSavers } from "../../testing/savers.js";
import { VfsSaver } from "../vfs-saver.js";

const secret = "sk-live-7Qz9x4-fnord";
const reason = "key leaked";
const now = new Date("2026-11-27T12:00:00Z");
const tombstone = "[erased 2026-11-27: key leaked]";
const config = (threadId: string, id?: string) => ({
  configurable: {
    thread_id: threadId,
    checkpoint_ns: "",
    ...(id === undefined ? {} : { checkpoint_id: id }),
  },
});

interface Thread {
  readonly saver: VfsSaver;
  readonly threadId: string;
  readonly parent?: string;
}

/** Puts a checkpoint with one channel for each value, and a write of a task with all of them. */
async function put({ saver, threadId, parent }: Thread, values: Readonly<Record<string, unknown>>) {
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, 1.5]));
  const checkpoint = {
    v: 4,
    id: uuid6(1),
    ts: now.toISOString(),
    channel_values: { ...values },
    channel_versions: versions,
    versions_seen: {},
  };
  const metadata = { source: "loop" as const, step: 1, parents: {}, ...(values["metadata"] as object) };
  await saver.put(config(threadId, parent), checkpoint, metadata, versions);
  await saver.putWrites(
    config(threadId, checkpoint.id),
    [
      ["first", values],
      ["second", "other"],
    ],
    "task",
  );
  return checkpoint.id;
}

async function valuesOf(saver: VfsSaver, threadId: string, id?: string) {
  const tuple = await saver.getTuple(config(threadId, id));
  return {
    values: tuple?.checkpoint.channel_values,
    writes: tuple?.pendingWrites,
    metadata: tuple?.metadata,
  };
}

/** Returns the values with a text in all of them that a state may hold. */
function valuesWith(text: string): Readonly<Record<string, unknown>> {
  const calls = [{ id: "c", name: "post", args: { token: text, [text]: 1 }, type: "tool_call" as const }];
  return {
    text: `the key is ${text}.`,
    long: `${"line\n".repeat(400)}${text}\n`,
    json: JSON.stringify({ key: text }),
    messages: [
      new HumanMessage({ id: "1", content: `use ${text}` }),
      new AIMessage({ id: "2", content: "", tool_calls: calls }),
      new ToolMessage({ id: "3", tool_call_id: "c", content: `sent ${text}`, artifact: { raw: [text] } }),
      ...Array.from(
        { length: 20 },
        (_, at) => new HumanMessage({ id: `n${at}`, content: `message ${at} `.repeat(80) }),
      ),
    ],
    record: { [text]: { deep: [[text]] }, other: [1, null, true] },
    map: new Map([[text, new Set([text])]]),
    bytes: Buffer.from(`bytes ${text}`),
    document: new Document({ pageContent: text, metadata: { from: text } }),
    metadata: { note: text },
    nothing: undefined,
  };
}

describe.each([...testedSavers, storeSaver])("erase in $name", ({ create }) => {
  it("puts a tombstone in the place of a text in every value, and leaves the rest as it is", async () => {
    const saver = await create();
    vi.setSystemTime(now);
    const first = await put({ saver, threadId: "t" }, valuesWith(secret));
    const second = await put(
      { saver, threadId: "t", parent: first },
      { ...valuesWith("nothing"), text: "later" },
    );
    await put({ saver, threadId: "u" }, valuesWith("another"));
    const [before, other] = [await valuesOf(saver, "t", second), await valuesOf(saver, "u")];
    const report = await saver.erase({ match: secret, reason });
    expect(report).toMatchObject({ tombstone, failed: [], elsewhere: [] });
    expect(report.threads).toEqual([
      {
        threadId: "t",
        deleted: false,
        missing: false,
        checkpoints: 1,
        archiveFiles: 0,
        workspaceFiles: 0,
        texts: 28,
        bytes: 28 * secret.length,
      },
    ]);
    await put({ saver, threadId: "expected" }, valuesWith(tombstone));
    expect(await valuesOf(saver, "t", first)).toEqual(await valuesOf(saver, "expected"));
    expect(await valuesOf(saver, "t", second)).toEqual(before);
    expect(await valuesOf(saver, "u")).toEqual(other);
    expect(await saver.erase({ match: secret, reason })).toMatchObject({ threads: [] });
    await expectIntact(saver, ["t", "u"]);
    vi.useRealTimers();
  });

  it("erases in files, gives files whose name is their digest a new one, and deletes contents at once", async () => {
    const saver = await create();
    const { workspace, archive } = saver.files.thread("t");
    await workspace.write("/notes.md", `one\nkey ${secret}\ntwo\n`);
    await workspace.write("/other.md", "nothing\n");
    await archive.append("/context/notes.md", `see ${secret}`);
    const files = workspace.changes;
    await put({ saver, threadId: "t" }, { files });
    await saver.erase({ match: secret, reason });
    const { values } = await valuesOf(saver, "t");
    const after = saver.files.thread("t", values?.["files"] as never);
    expect((await after.workspace.readRaw("/notes.md")).data?.content).toEqual(
      expect.stringMatching(/^one\nkey \[erased \S+: key leaked\]\ntwo\n$/),
    );
    expect((await after.workspace.readRaw("/other.md")).data?.content).toBe("nothing\n");
    expect(await archive.readText("/context/notes.md")).toMatch(/^see \[erased \S+: key leaked\]$/);
    const digest = (files["/notes.md"] as { readonly digest: string }).digest;
    expect(await saver.files.blobs.has(digest)).toBe(false);
    await expectIntact(saver, ["t"]);
  });

  it("keeps what two names that become one stand for", async () => {
    const saver = await create();
    const { workspace, archive } = saver.files.thread("t");
    for (const name of ["ada@example.org", "bob@example.org"]) {
      await workspace.write(`/mail/${name}.md`, `of ${name.slice(0, 3)}`);
      await archive.append(`/context/mail-${name.slice(0, 3)}-example-org.md`, `of ${name.slice(0, 3)}`);
    }
    const map = new Map([
      ["ada@example.org", 1],
      ["bob@example.org", 2],
    ]);
    await put({ saver, threadId: "t" }, { files: workspace.changes, map, record: Object.fromEntries(map) });
    await saver.erase({ match: [/\w+@example\.org/, /mail-\w+-example-org/], reason });
    const { values } = await valuesOf(saver, "t");
    const { map: newMap, record, files } = values as Readonly<Record<string, Map<string, number>>>;
    expect([...(newMap ?? [])].map(([, value]) => value)).toEqual([1, 2]);
    expect(Object.values(record ?? {})).toEqual([1, 2]);
    const after = saver.files.thread("t", files as never);
    const contents = Object.keys(files ?? {}).map(
      async (path) => (await after.workspace.readRaw(path)).data?.content,
    );
    expect(await Promise.all(contents)).toEqual(["of ada", "of bob"]);
    const archived: string[] = [];
    for await (const { path } of archive.list()) archived.push(await archive.readText(path));
    expect(archived.toSorted()).toEqual(["of ada", "of bob"]);
  });

  it("counts with dryRun what it would erase, and changes nothing", async () => {
    const saver = await create();
    await put({ saver, threadId: "t" }, valuesWith(secret));
    await saver.files.archive("t").append("/context/notes.md", secret);
    const before = await valuesOf(saver, "t");
    const { threads } = await saver.erase({ match: secret, reason, dryRun: true });
    expect(threads).toMatchObject([{ threadId: "t", checkpoints: 1, archiveFiles: 1 }]);
    expect(await valuesOf(saver, "t")).toEqual(before);
    expect(await saver.files.archive("t").readText("/context/notes.md")).toBe(secret);
  });

  it("erases in the threads that are named, and tells where else the text stands", async () => {
    const saver = await create();
    await put({ saver, threadId: "t" }, valuesWith(secret));
    await saver.copyThread("t", "copy");
    const report = await saver.erase({ thread: "t", match: secret, reason });
    expect(report).toMatchObject({ threads: [{ threadId: "t" }], elsewhere: ["copy"] });
    expect((await valuesOf(saver, "copy")).values?.["text"]).toBe(`the key is ${secret}.`);
    expect((await valuesOf(saver, "t")).values?.["text"]).toContain("[erased");
  });

  it("erases whole threads, with files that are younger than the grace", async () => {
    const saver = await create();
    const { workspace, archive } = saver.files.thread("t");
    await workspace.write("/notes.md", secret);
    await archive.append("/context/notes.md", secret);
    await put({ saver, threadId: "t" }, { files: workspace.changes, text: secret });
    await put({ saver, threadId: "u" }, { text: "stays" });
    const { threads } = await saver.erase({ thread: "t", reason });
    expect(threads).toMatchObject([{ threadId: "t", deleted: true, missing: false }]);
    expect(await saver.threads()).toEqual(["u"]);
    expect(await filesWith(saver, secret)).toEqual([]);
    expect((await valuesOf(saver, "u")).values).toEqual({ text: "stays" });
  });

  it("erases in writes whose checkpoint was never stored, and keeps those that do not match", async () => {
    const saver = await create();
    const first = uuid6(2);
    const write = async (threadId: string, id: string, value: string) =>
      saver.putWrites(config(threadId, id), [["text", value.repeat(200)]], "task");
    const writesOf = async (threadId: string, id: string) => {
      const values = {
        v: 4,
        ts: now.toISOString(),
        channel_values: {},
        channel_versions: {},
        versions_seen: {},
      };
      await saver.put(config(threadId), { ...values, id }, { source: "loop", step: 2, parents: {} }, {});
      return JSON.stringify((await valuesOf(saver, threadId, id)).writes);
    };
    for (const threadId of ["t", "u"]) await put({ saver, threadId }, { text: "stays" });
    await write("t", first, secret);
    await write("u", first, "on its way");
    expect((await saver.erase({ match: secret, reason, dryRun: true })).threads).toMatchObject([
      { threadId: "t" },
    ]);
    expect((await saver.erase({ match: secret, reason })).threads).toMatchObject([{ threadId: "t" }]);
    expect(await filesWith(saver, secret)).toEqual([]);
    expect(await writesOf("t", first)).toBe("[]");
    expect(await writesOf("u", first)).toContain("on its way");
    expect((await saver.erase({ match: secret, reason })).threads).toEqual([]);
    await expectIntact(saver, ["t", "u"]);
  });

  it("tells a thread of which nothing is stored from one that has only files", async () => {
    const saver = await create();
    await put({ saver, threadId: "t" }, { text: "stays" });
    await saver.files.archive("files").append("/context/notes.md", secret);
    const { threads } = await saver.erase({ thread: ["T", "files"], reason });
    expect(threads).toMatchObject([
      { threadId: "T", deleted: true, missing: true },
      { threadId: "files", deleted: true, missing: false },
    ]);
    expect(await filesWith(saver, secret)).toEqual([]);
    expect((await valuesOf(saver, "t")).values).toEqual({ text: "stays" });
  });

  it("erases in the archive of a deleted thread, which stays readable", async () => {
    const saver = await create();
    await put({ saver, threadId: "t" }, { text: "hello" });
    const archive = saver.files.archive("t");
    const text = `see ${secret}`;
    await archive.append(`/context/results/read-${hash("sha256", text).slice(0, 16)}.txt`, text);
    await saver.retain({ idleSince: new Date(Date.now() + 86_400_000), keepArchives: true });
    const { left } = await saver.erase({ match: secret, reason });
    expect(left).toContainEqual(expect.stringContaining("/threads/t, held a match"));
    const paths: string[] = [];
    for await (const { path } of archive.list()) paths.push(path);
    expect(paths).toHaveLength(1);
    expect(await archive.readText(paths[0] ?? "")).toMatch(/^see \[erased \S+: key leaked\]$/);
  });

  it("says that the id of a thread holds a match, which no erasure can change", async () => {
    const saver = await create();
    await put({ saver, threadId: "chat with ada@example.org" }, { text: "hello" });
    const { left } = await saver.erase({ match: "ada@example.org", reason, dryRun: true });
    expect(left).toEqual([expect.stringContaining("copy the thread to another id, and erase this one")]);
  });

  it.each([{ match: secret }, { match: secret, dryRun: true }, { thread: "t" }])(
    "names the mounts, whose files it does not know, with %j",
    async (asked) => {
      const backend = new MemoryBackend();
      await backend.write("/ada.md", secret);
      const saver = await create({ mounts: { "/memories/": backend } });
      const { left } = await saver.erase({ ...asked, reason });
      expect(left).toContainEqual(expect.stringMatching(/^Files below \/memories\/ .*erase there too\.$/));
    },
  );

  it("erases what an expression matches in any JSON value", async () => {
    const saver = await create();
    const planted = fc
      .jsonValue()
      .map((value) => [value, JSON.parse(JSON.stringify(value).replaceAll("a", secret))]);
    const [value] = fc.sample(planted, { numRuns: 1, seed: 7 });
    await put({ saver, threadId: "t" }, { value });
    await saver.erase({ match: /sk-live-[\w-]+/, reason });
    const stored = JSON.stringify((await valuesOf(saver, "t")).values);
    expect(stored).not.toContain("sk-live");
  });
});

describe.each(graphSavers.filter(({ name }) => name.startsWith("wrapped ")))(
  "erase in $name",
  ({ create }) => {
    it("replaces values and writes, which the saver itself would keep", async () => {
      vi.setSystemTime(now);
      const saver = await create();
      await put({ saver, threadId: "a" }, valuesWith(secret));
      await put({ saver, threadId: "b" }, valuesWith(tombstone));
      const { threads, failed } = await saver.erase({ match: secret, reason });
      vi.useRealTimers();
      expect([threads.map(({ threadId }) => threadId), failed]).toEqual([["a"], []]);
      expect(await valuesOf(saver, "a")).toEqual(await valuesOf(saver, "b"));
      expect(await saver.threads()).toHaveLength(2);
      await expectIntact(saver, ["a", "b"]);
    });
  },
);

/** Returns the paths of files in which a text stands. */
async function filesWith(saver: VfsSaver, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { path } of saver.files.driver.list("/")) {
    const bytes = await saver.files.driver.read(path);
    if (bytes !== undefined && Buffer.from(bytes).includes(text)) found.push(path);
  }
  return found;
}

async function expectIntact(saver: VfsSaver, threadIds: readonly string[]): Promise<void> {
  const damage: unknown[] = [];
  for (const threadId of threadIds) await saver.verify(threadId, (part) => void damage.push(part));
  expect(damage).toEqual([]);
}

describe.each(testedSavers.filter(({ name }) => name !== "wrapped"))("erase in $name", ({ create }) => {
  it("finds a thread that has nothing but writes whose checkpoint was never stored", async () => {
    const saver = await create();
    await saver.putWrites(config("t", uuid6(1)), [["text", secret]], "task");
    expect((await saver.erase({ match: secret, reason })).threads).toMatchObject([{ threadId: "t" }]);
    expect((await saver.erase({ match: secret, reason })).threads).toEqual([]);
  });
});

describe("a SQLite file after erase", () => {
  it("holds the text nowhere, in no row, free page, bundle or log", async () => {
    const path = temporaryPath();
    const saver = VfsSaver.fromPath(path, { compress: false });
    for (let at = 0; at < 40; at++)
      await put({ saver, threadId: `t${at % 4}` }, { ...valuesWith(`${secret}-${at}`), at });
    const { workspace } = saver.files.thread("t0");
    await workspace.write("/notes.md", `${secret} `.repeat(2_000));
    await put({ saver, threadId: "t0" }, { files: workspace.changes });
    await saver.erase({ match: secret, reason });
    for (const file of [path, `${path}-wal`]) expect(readFileSync(file).includes(secret)).toBe(false);
    await expectIntact(saver, ["t0", "t1", "t2", "t3"]);
    await saver.close();
    expect(readFileSync(path).includes(secret)).toBe(false);
  });
});

/** Throws at the nth call of a method that changes something, and then at every call, as after a kill. */
class Kill {
  left = Infinity;

  of<T extends object>(target: T, names: readonly string[]): T {
    return new Proxy(target, {
      get: (own, name) => {
        const value: unknown = Reflect.get(own, name, own);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          if (names.includes(String(name)) && this.left-- <= 0) throw new Error("killed");
          return Reflect.apply(value as () => unknown, own, given);
        };
      },
    });
  }
}

const engineCalls = ["commit", "rewrite", "deleteThread", "scrub"];
const driverCalls = ["write", "writeAll", "delete"];

/** A storage whose processes a test can kill. `open` is a new process on it. */
const storages: Readonly<Record<string, () => { readonly kill: Kill; readonly open: () => VfsSaver }>> = {
  libsql: () => {
    const kill = new Kill();
    const path = temporaryPath();
    const open = () => {
      const database = new LibsqlDatabase(path);
      const engine: Engine = kill.of(new LibsqlEngine(database), engineCalls);
      const driver: FileDriver = kill.of(new LibsqlDriver(database), driverCalls);
      return new VfsSaver({ engine, driver });
    };
    return { kill, open };
  },
  wrapped: () => {
    const kill = new Kill();
    const [memory, bytes] = [new MemorySaver(), new MemoryDriver()];
    const open = () => {
      const driver = kill.of(bytes, driverCalls);
      const saver = kill.of(memory, ["put", "putWrites", "deleteThread"]);
      const engine = new SaverEngine({ saver, blobs: new DriverBlobs(driver) });
      return new VfsSaver({ engine, driver });
    };
    return { kill, open };
  },
};

/** Kills an erasure at a write, erases again in a new process, and returns what that leads to. */
async function eraseKilledAt(at: number, { kill, open }: ReturnType<(typeof storages)[string]>) {
  const saver = open();
  const { workspace, archive } = saver.files.thread("t");
  await workspace.write("/notes.md", `key ${secret}`);
  await archive.append("/context/notes.md", `key ${secret}`);
  await put({ saver, threadId: "t" }, { ...valuesWith(secret), files: workspace.changes });
  kill.left = at;
  const first = await saver.erase({ match: secret, reason }).catch((error: unknown) => error);
  const isKilled = kill.left < 0;
  kill.left = Infinity;
  const next = open();
  await next.erase({ match: secret, reason });
  const { values } = await valuesOf(next, "t");
  const after = next.files.thread("t", values?.["files"] as never);
  await expectIntact(next, ["t"]);
  const result = {
    threads: await next.threads(),
    text: values?.["text"],
    note: (await after.workspace.readRaw("/notes.md")).data?.content,
    left: await filesWith(next, secret),
  };
  return { first, isKilled, result };
}

describe.each(Object.keys(storages))("erase in a %s storage that is killed at any write", (name) => {
  it("goes on when it is called again, and loses nothing", async () => {
    vi.setSystemTime(now);
    const storage = storages[name];
    const runs: Awaited<ReturnType<typeof eraseKilledAt>>[] = [];
    do if (storage) runs.push(await eraseKilledAt(runs.length, storage()));
    while (runs.at(-1)?.isKilled === true);
    vi.useRealTimers();
    const expected = {
      threads: ["t"],
      text: `the key is ${tombstone}.`,
      note: `key ${tombstone}`,
      left: [],
    };
    expect(runs.length).toBeGreaterThan(5);
    expect(runs.map(({ result }) => result)).toEqual(runs.map(() => expected));
    expect(runs.at(-1)?.first).toMatchObject({ failed: [] });
  });
});
