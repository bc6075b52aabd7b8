import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { InMemoryStore, MemorySaver, type BaseStore } from "@langchain/langgraph-checkpoint";
import { DriverBackend, VirtualFilesystem, type Backend } from "@palimpsest/vfs";
import { testDriver } from "@palimpsest/vfs/testing";
import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { emptyStore } from "../testing/empty-store.js";
import { VfsSaver } from "../saver/vfs-saver.js";
import { StoreDriver } from "./store-driver.js";

const postgresUrl = process.env["PALIMPSEST_POSTGRES_URL"];

const stores = [
  { name: "InMemoryStore", create: async () => new InMemoryStore() },
  ...(postgresUrl ? [{ name: "PostgresStore", create: async () => emptyStore(postgresUrl) }] : []),
];

for (const { name, create } of stores) {
  let store: BaseStore;
  testDriver({
    name: `store, ${name}`,
    create: async () => new StoreDriver((store = await create())),
    another: () => new StoreDriver(elsewhere(store)),
    numRuns: 10,
  });
}

/** Returns the store as another process has it: every call takes a turn of the event loop, and no lock is shared. */
function elsewhere(store: BaseStore): BaseStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        await new Promise(setImmediate);
        return value.apply(target, args) as unknown;
      };
    },
  });
}

async function pathsOf(driver: StoreDriver, prefix = "/"): Promise<string[]> {
  const paths = [];
  for await (const { path } of driver.list(prefix)) paths.push(path);
  return paths;
}

describe.each(stores)("files in $name", ({ create }) => {
  it("of any size are read completely and in ranges, and leave nothing behind when overwritten", async () => {
    const store = await create();
    const driver = new StoreDriver(store);
    for (const size of [0, 4096, 4097, 262_144, 700_000, 5]) {
      const bytes = randomBytes(size);
      await driver.write("/file", bytes);
      expect(Buffer.from((await driver.read("/file")) ?? []).equals(bytes)).toBe(true);
      const range = { start: 262_100, end: 524_300 };
      const part = await driver.read("/file", range);
      expect(Buffer.from(part ?? []).equals(bytes.subarray(range.start, range.end))).toBe(true);
      const parts = await store.search(["palimpsest", "parts"], { limit: 100 });
      expect(parts).toHaveLength(size > 4096 ? Math.ceil(size / 262_144) : 0);
    }
    await driver.delete("/file");
    expect(await store.search(["palimpsest"], { limit: 100 })).toEqual([]);
  });

  it("stay apart by namespace, also in nested namespaces and ones with a common prefix", async () => {
    const store = await create();
    const namespaces = [
      ["a"],
      ["a", "files"],
      ["a", "files", "files"],
      ["ab"],
      ["memories", "t1"],
      ["memories", "t10"],
    ];
    const drivers = namespaces.map((namespace) => new StoreDriver(store, { namespace }));
    for (const [index, driver] of drivers.entries())
      await driver.write(`/d/${index}.md`, Buffer.from(`${index}`));
    for (const [index, driver] of drivers.entries()) {
      expect(await pathsOf(driver)).toEqual([`/d/${index}.md`]);
      expect(await pathsOf(driver, "/d")).toEqual([`/d/${index}.md`]);
    }
  });

  it("are found below any directory, whatever its name and depth", async () => {
    const driver = new StoreDriver(await create());
    const directories = [
      "/t1",
      "/t10",
      "/t1/..x",
      "/%",
      "/a.b",
      "/a:b",
      "/_",
      "/漢",
      "/1/2/3/4/5/6",
      "/1/2/3/4/5/66",
    ];
    for (const directory of directories) await driver.write(`${directory}/file`, Buffer.from(directory));
    expect(await pathsOf(driver)).toHaveLength(directories.length);
    for (const directory of directories.slice(1))
      expect(await pathsOf(driver, directory)).toEqual([`${directory}/file`]);
    expect(await pathsOf(driver, "/t1")).toEqual(["/t1/..x/file", "/t1/file"]);
  });

  it("are shared by the threads of a namespace", async () => {
    const store = await create();
    const memoriesOf = (user: string) =>
      new DriverBackend(new StoreDriver(store, { namespace: ["memories", user] }));
    const files = VirtualFilesystem.inMemory({
      mounts: { "/memories/": (threadId) => memoriesOf(threadId.split("-")[0] ?? "") },
    });
    const [first, second, other] = ["ada-1", "ada-2", "bob-1"].map((id) => files.thread(id).backend);
    await first?.write("/memories/likes.md", "short answers\n");
    expect((await second?.read("/memories/likes.md"))?.content).toBe("short answers\n");
    expect((await second?.grep("short", "/"))?.matches?.map(({ path }) => path)).toEqual([
      "/memories/likes.md",
    ]);
    expect((await other?.ls("/memories/"))?.files).toEqual([]);
  });
});

it("a StoreDriver can be a mount of a saver's files", async () => {
  const memories = new DriverBackend(new StoreDriver(new InMemoryStore()));
  const saver = VfsSaver.inMemory({ mounts: { "/memories/": memories } });
  await saver.files.thread("a").backend.write("/memories/x.md", "kept");
  expect((await saver.files.thread("b").backend.read("/memories/x.md")).content).toBe("kept");
  await saver.deleteThread("a");
  expect((await saver.files.thread("b").backend.read("/memories/x.md")).content).toBe("kept");
  await saver.close();
});

type Work = (backend: Backend) => Promise<string | undefined>;

const read: Work = async (backend) => JSON.stringify((await backend.grep("I am", "/memories/")).matches);

describe("a namespace that is a function of the run", () => {
  const store = new InMemoryStore();
  const driver = new StoreDriver(store, { namespace: ({ context }) => ["memories", context.userId] });
  const files = VirtualFilesystem.inMemory({ mounts: { "/memories/": new DriverBackend(driver) } });

  /** Works with the files in a node, in a run of a user. */
  async function run(context: object, work: Work): Promise<string | undefined> {
    const State = Annotation.Root({ said: Annotation<string | undefined> });
    const graph = new StateGraph(State, Annotation.Root({ userId: Annotation<string> }))
      .addNode("work", async () => ({ said: await work(files.thread("t").backend) }))
      .addEdge(START, "work")
      .compile();
    const config = { configurable: { thread_id: "t" }, context } as never;
    return (await graph.invoke({}, config)).said;
  }

  it("gives each user files of their own on one saver, in the same thread", async () => {
    const users = ["ada", "bob"];
    for (const userId of users)
      await run(
        { userId },
        async (backend) => (await backend.write("/memories/me.md", `I am ${userId}.`)).error,
      );
    const [ada, bob] = await Promise.all(users.map(async (userId) => run({ userId }, read)));
    expect([ada?.includes("ada"), ada?.includes("bob")]).toEqual([true, false]);
    expect([bob?.includes("ada"), bob?.includes("bob")]).toEqual([false, true]);
    expect(await pathsOf(new StoreDriver(store, { namespace: ["memories", "ada"] }))).toEqual(["/me.md"]);
  });

  it("gives a run without a user no files at all, and says what is missing", async () => {
    const said = await run({}, async (backend) => (await backend.read("/memories/me.md")).error);
    expect(said).toContain('namespace returned ["memories",null]: each of its names must be a text');
  });

  it("is refused outside a run, and for what is read outside runs", async () => {
    await expect(driver.read("/me.md")).rejects.toThrow(/outside a run: read these files in a node or tool/);
    expect(() => new VirtualFilesystem({ driver })).toThrow(/use it as a mount, such as \/memories\//);
    expect(() => VfsSaver.wrap(new MemorySaver(), { blobs: driver })).toThrow(/use it as a mount/);
    expect(() => new StoreDriver(store, { namespace: [] })).toThrow(/namespace is \[\]/);
  });
});
