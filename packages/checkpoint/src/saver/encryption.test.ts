import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver, uuid6 } from "@langchain/langgraph-checkpoint";
import { MemoryDriver, type EncryptionOptions } from "@palimpsest/vfs";
import { afterAll, describe, expect, it } from "vitest";
import type { DamagedPart } from "../engine.js";
import { newDatabase } from "../testing/empty-postgres.js";
import { temporaryPath } from "../testing/savers.js";
import type { VfsSaverOptions } from "./saver-options.js";
import { copyArchive } from "./thread-archive.js";
import { VfsSaver } from "./vfs-saver.js";

const secret = "sk-live-7Qz9x4-fnord";
const opened: VfsSaver[] = [];

afterAll(async () => {
  for (const saver of opened) await saver.close().catch(() => undefined);
});

/** Keys by id, of which some may be destroyed. */
class Keys {
  readonly all = new Map<string, Uint8Array>();

  /** Returns the options for a saver whose threads write with these keys. */
  with(keyId: EncryptionOptions["keyId"]): EncryptionOptions {
    return { keyId, key: (id) => this.all.get(id) };
  }

  add(...ids: readonly string[]): this {
    for (const id of ids) this.all.set(id, randomBytes(32));
    return this;
  }
}

interface Storage {
  readonly open: (options?: VfsSaverOptions) => Promise<VfsSaver>;
  /** Returns all that is stored. */
  readonly bytes: () => Promise<string>;
}

const storages: readonly (readonly [name: string, create: () => Promise<Storage>])[] = [
  ["a SQLite file", async () => sqlite()],
  ["a wrapped saver", async () => wrapped()],
  ...(process.env["PALIMPSEST_POSTGRES_URL"] === undefined
    ? []
    : [["Postgres", postgres] as readonly [string, () => Promise<Storage>]]),
];

function sqlite(): Storage {
  const path = temporaryPath();
  return {
    open: async (options) => VfsSaver.fromPath(path, options),
    bytes: async () => [path, `${path}-wal`].map((each) => readFileSync(each).toString("latin1")).join(""),
  };
}

function wrapped(): Storage {
  const [inner, blobs] = [new MemorySaver(), new MemoryDriver()];
  return {
    open: async (options) => VfsSaver.wrap(inner, { ...options, blobs }),
    bytes: async () => {
      const parts = [textOf(inner.storage), textOf(inner.writes)];
      for await (const { path } of blobs.list("/"))
        parts.push(path, Buffer.from((await blobs.read(path)) ?? []).toString("latin1"));
      return parts.join("\n");
    },
  };
}

/** Returns what MemorySaver keeps, with its bytes as text. */
function textOf(stored: unknown): string {
  return JSON.stringify(stored, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
  );
}

let databases = 0;

async function postgres(): Promise<Storage> {
  const url = await newDatabase(
    process.env["PALIMPSEST_POSTGRES_URL"] ?? "",
    `palimpsest_encryption_${process.pid}_${databases++}`,
  );
  return {
    open: async (options) => VfsSaver.fromPostgres(url, options),
    bytes: async () => {
      const { default: pg } = await import("pg");
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const { rows } = await client.query<{ name: string }>(
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
      );
      const parts: string[] = [];
      for (const { name } of rows) parts.push(textOf((await client.query(`SELECT * FROM ${name}`)).rows));
      await client.end();
      return parts.join("\n");
    },
  };
}

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

function nameless(): never {
  throw new Error("no such tenant");
}

/** Puts a checkpoint, and a write of a task with all of its values. */
async function put({ saver, threadId, parent }: Thread, values: Readonly<Record<string, unknown>>) {
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, Math.random() + 1]));
  const checkpoint = {
    v: 4,
    id: uuid6(1),
    ts: new Date().toISOString(),
    channel_values: { ...values },
    channel_versions: versions,
    versions_seen: {},
  };
  const metadata = { source: "loop" as const, step: 1, parents: {}, note: values["text"] };
  await saver.put(config(threadId, parent), checkpoint, metadata, versions);
  await saver.putWrites(config(threadId, checkpoint.id), [["written", values]], "task");
  return checkpoint.id;
}

/** Returns values with a text in every kind of place. */
function valuesWith(text: string): Readonly<Record<string, unknown>> {
  const calls = [{ id: "c", name: "post", args: { token: text }, type: "tool_call" as const }];
  return {
    text: `the key is ${text}.`,
    long: `${"line\n".repeat(400)}${text}\n`,
    messages: [
      new HumanMessage({ id: "1", content: `use ${text}` }),
      new AIMessage({ id: "2", content: "", tool_calls: calls }),
      new ToolMessage({ id: "3", tool_call_id: "c", content: `sent ${text}`, artifact: { raw: [text] } }),
      ...Array.from({ length: 60 }, (_, at) => new HumanMessage({ id: `n${at}`, content: `${at} ${text}` })),
    ],
    short: Array.from({ length: 200 }, (_, at) => `${text} ${at}`),
    record: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${text} ${at}`, at])),
    map: new Map([[text, new Set([text])]]),
    bytes: Uint8Array.from(Buffer.from(`bytes ${text} `.repeat(100))),
    nothing: undefined,
  };
}

async function valuesOf(saver: VfsSaver, threadId: string): Promise<unknown> {
  return (await saver.getTuple(config(threadId)))?.checkpoint.channel_values;
}

/** Writes a thread with a text in its state, its archive and its workspace. */
async function writeThread(thread: Thread, text: string): Promise<string> {
  const { archive, workspace } = thread.saver.files.thread(thread.threadId);
  await archive.append("/context/originals.txt", `read ${text}`);
  await workspace.write("/notes.md", `remember ${text}`);
  return put(thread, { ...valuesWith(text), files: workspace.changes });
}

async function damageOf(saver: VfsSaver, threadId: string): Promise<readonly DamagedPart[]> {
  const damage: DamagedPart[] = [];
  await saver.verify(threadId, (part) => damage.push(part));
  return damage;
}

describe.each(storages)("an encrypted saver on %s", (_, create) => {
  async function saverWith(options: VfsSaverOptions, storage?: Storage) {
    const used = storage ?? (await create());
    const saver = await used.open(options);
    opened.push(saver);
    return { saver, storage: used };
  }

  it("stores no word of a thread in clear, and gives all of it back, in another process too", async () => {
    const keys = new Keys().add("a");
    const { saver, storage } = await saverWith({ encryption: keys.with("a") });
    await writeThread({ saver, threadId: "t" }, secret);
    const bytes = await storage.bytes();
    const found = [secret, "remember", "the key is", "line\nline", Buffer.from(secret).toString("base64")];
    expect(found.filter((text) => bytes.includes(text))).toEqual([]);
    const { saver: later } = await saverWith({ encryption: keys.with("a") }, storage);
    expect(await valuesOf(later, "t")).toEqual(await valuesOf(saver, "t"));
    expect(await valuesOf(later, "t")).toMatchObject(valuesWith(secret));
    expect(await later.files.archive("t").readText("/context/originals.txt")).toBe(`read ${secret}`);
    const tuple = await later.getTuple(config("t"));
    expect(tuple?.pendingWrites?.[0]?.[2]).toMatchObject({ text: `the key is ${secret}.` });
    expect(tuple?.metadata).toMatchObject({ note: `the key is ${secret}.`, step: 1 });
  });

  it("names the destroyed key of a thread, which can be listed, verified and deleted without it", async () => {
    const keys = new Keys().add("ada", "bob");
    const { saver, storage } = await saverWith({ encryption: keys.with((threadId) => threadId) });
    for (const threadId of ["ada", "bob"]) await writeThread({ saver, threadId }, `${threadId} ${secret}`);
    keys.all.delete("ada");
    const { saver: later } = await saverWith({ encryption: keys.with((id) => id) }, storage);
    await expect(valuesOf(later, "ada")).rejects.toMatchObject({
      code: "missing-key",
      message: expect.stringMatching(/"ada" is not available.*destroyed.*delete the thread/) as string,
    });
    await expect(later.files.archive("ada").readText("/context/originals.txt")).rejects.toMatchObject({
      code: "missing-key",
    });
    expect(await valuesOf(later, "bob")).toMatchObject(valuesWith(`bob ${secret}`));
    expect([...(await later.threads())].sort()).toEqual(["ada", "bob"]);
    const listed: unknown[] = [];
    for await (const { step } of later.checkpoints("ada")) listed.push(step);
    expect(listed).toEqual([1]);
    expect(await damageOf(later, "ada")).toEqual([]);
    await later.deleteThread("ada");
    expect(await later.threads()).toEqual(["bob"]);
    expect(await damageOf(later, "bob")).toEqual([]);
    expect(await valuesOf(later, "bob")).toMatchObject(valuesWith(`bob ${secret}`));
  });

  it("rotates to another key without writing again what is stored", async () => {
    const keys = new Keys().add("1", "2");
    const { saver, storage } = await saverWith({ encryption: keys.with("1") });
    const first = await writeThread({ saver, threadId: "t" }, secret);
    const size = (await storage.bytes()).length;
    const { saver: later } = await saverWith({ encryption: keys.with("2") }, storage);
    const values = (await valuesOf(later, "t")) as { readonly messages: readonly unknown[] };
    const next = {
      ...values,
      messages: [...values.messages, new HumanMessage({ id: "x", content: "next" })],
    };
    await put({ saver: later, threadId: "t", parent: first }, next);
    expect((await storage.bytes()).length - size).toBeLessThan(size);
    const { saver: last } = await saverWith({ encryption: keys.with("2") }, storage);
    expect(await valuesOf(last, "t")).toEqual(next);
    keys.all.delete("1");
    const { saver: without } = await saverWith({ encryption: keys.with("2") }, storage);
    await expect(valuesOf(without, "t")).rejects.toMatchObject({ code: "missing-key" });
  });

  it("stores equal contents of one key once, and of two keys twice", async () => {
    const keys = new Keys().add("one", "two");
    const text = randomBytes(300_000).toString("base64");
    const { saver, storage } = await saverWith({
      encryption: keys.with((threadId) => (threadId === "c" ? "two" : "one")),
    });
    const added: number[] = [];
    for (const threadId of ["a", "b", "c"]) {
      const before = (await storage.bytes()).length;
      const { workspace } = saver.files.thread(threadId);
      await workspace.write("/data.txt", text);
      await put({ saver, threadId }, { files: workspace.changes });
      added.push((await storage.bytes()).length - before);
    }
    const [first = 0, same = 0, other = 0] = added;
    expect(first).toBeGreaterThan(text.length);
    expect(same).toBeLessThan(text.length / 2);
    expect(other).toBeGreaterThan(text.length);
  });

  it("continues a thread that was not encrypted, and refuses an encrypted one where it has no keys", async () => {
    const keys = new Keys().add("a");
    const { saver: plain, storage } = await saverWith({});
    const first = await writeThread({ saver: plain, threadId: "t" }, "in clear");
    const { saver } = await saverWith({ encryption: keys.with("a") }, storage);
    expect(await valuesOf(saver, "t")).toMatchObject(valuesWith("in clear"));
    await saver.files.archive("t").append("/context/later.txt", secret);
    await put({ saver, threadId: "t", parent: first }, valuesWith(secret));
    expect((await storage.bytes()).includes(secret)).toBe(false);
    const archive = saver.files.archive("t");
    expect(await archive.readText("/context/originals.txt")).toBe("read in clear");
    expect(await archive.readText("/context/later.txt")).toBe(secret);
    const { saver: without } = await saverWith({}, storage);
    await expect(valuesOf(without, "t")).rejects.toMatchObject({
      code: "missing-key",
      message: expect.stringMatching(/"a" is not available.*no encryption/) as string,
    });
  });

  it("adds nothing in clear to an encrypted thread, whatever a saver without keys has read of it", async () => {
    const keys = new Keys().add("a");
    const { saver: plain, storage } = await saverWith({});
    const first = await put({ saver: plain, threadId: "later" }, valuesWith("in clear"));
    const { saver } = await saverWith({ encryption: keys.with("a") }, storage);
    const last = await put(
      { saver, threadId: "later", parent: first },
      { messages: [new HumanMessage("x")] },
    );
    const only = await put(
      { saver, threadId: "t" },
      { messages: [new HumanMessage({ id: "1", content: "x" })] },
    );
    const { saver: without } = await saverWith({}, storage);
    const refused = {
      code: "missing-key",
      message: expect.stringMatching(
        /Nothing was written to the thread .* is encrypted.*no encryption/,
      ) as string,
    };
    const writes: [string, unknown][] = [["a", 1]];
    for (const threadId of ["t", "later"]) {
      const write = async (parent?: string) =>
        put({ saver: without, threadId, ...(parent && { parent }) }, { a: 1 });
      await expect(write()).rejects.toMatchObject(refused);
      await expect(write(threadId === "t" ? only : last)).rejects.toMatchObject(refused);
      await expect(valuesOf(without, threadId)).rejects.toMatchObject({ code: "missing-key" });
      await expect(write(threadId === "t" ? only : last)).rejects.toMatchObject(refused);
      await expect(without.putWrites(config(threadId, last), writes, "task")).rejects.toMatchObject(refused);
    }
    await expect(put({ saver: plain, threadId: "later", parent: last }, { a: 1 })).rejects.toMatchObject(
      refused,
    );
    const { saver: again } = await saverWith({ encryption: keys.with("a") }, storage);
    expect((await again.getTuple(config("later")))?.checkpoint.id).toBe(last);
    expect((await again.getTuple(config("t")))?.checkpoint.id).toBe(only);
  });

  it("tells bytes of another secret under the same id from those of the key", async () => {
    const keys = new Keys().add("a");
    const { saver, storage } = await saverWith({ encryption: keys.with("a") });
    await writeThread({ saver, threadId: "t" }, secret);
    const { saver: wrong } = await saverWith({ encryption: new Keys().add("a").with("a") }, storage);
    await expect(valuesOf(wrong, "t")).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringMatching(/another key than it was written with/) as string,
    });
  });

  it("refuses to copy a thread to one with another key, because a copy shares its contents", async () => {
    const keys = new Keys().add("ada", "bob");
    const { saver } = await saverWith({ encryption: keys.with((id) => (id === "bob" ? "bob" : "ada")) });
    await writeThread({ saver, threadId: "ada" }, secret);
    await expect(saver.copyThread("ada", "bob")).rejects.toThrow(/encrypted with the key "ada"/);
    await saver.copyThread("ada", "ada's copy");
    expect(await valuesOf(saver, "ada's copy")).toMatchObject(valuesWith(secret));
  });

  it("refuses to copy a thread without its keys, because the copy would lack the archive", async () => {
    const keys = new Keys().add("a");
    const { saver, storage } = await saverWith({ encryption: keys.with("a") });
    await writeThread({ saver, threadId: "t" }, secret);
    await saver.files.thread("t").archive.append("/context/x.md", secret);
    const { saver: without } = await saverWith({}, storage);
    const refused = { code: "missing-key", message: expect.stringContaining('"t" is encrypted') as string };
    await expect(without.copyThread("t", "copy")).rejects.toMatchObject(refused);
    await expect(copyArchive(without.files, "t", "copy")).rejects.toMatchObject(refused);
    expect(await without.threads()).toEqual(["t"]);
    await saver.copyThread("t", "copy");
    expect(await saver.files.thread("copy").archive.readText("/context/x.md")).toBe(secret);
  });

  it("collects what no checkpoint needs any more without a key, and nothing else", async () => {
    const keys = new Keys().add("a");
    const { saver, storage } = await saverWith({ encryption: keys.with("a") });
    const first = await writeThread({ saver, threadId: "t" }, "first");
    const second = await put({ saver, threadId: "t", parent: first }, valuesWith("second"));
    const { saver: collector } = await saverWith({ encryption: new Keys().with("a") }, storage);
    expect(await collector.prune("t", { keepLast: 1 })).toMatchObject({ checkpoints: 1 });
    const { saver: later } = await saverWith({ encryption: keys.with("a") }, storage);
    expect(await valuesOf(later, "t")).toMatchObject(valuesWith("second"));
    expect(await damageOf(later, "t")).toEqual([]);
    expect((await later.getTuple(config("t", second)))?.checkpoint.id).toBe(second);
  });

  it("asks for a key once while it is used, waits for it, and says what it asked for where the callback throws", async () => {
    const key = randomBytes(32);
    let asked = 0;
    const slow = async (): Promise<Uint8Array> => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return key;
    };
    const { saver } = await saverWith({ encryption: { keyId: "a", key: slow } });
    await Promise.all(["t", "u", "v"].map(async (threadId) => writeThread({ saver, threadId }, secret)));
    expect(asked).toBe(1);
    const failing = { keyId: "a", key: () => Promise.reject(new Error("the key service is down")) };
    const { saver: broken } = await saverWith({ encryption: failing });
    await expect(put({ saver: broken, threadId: "t" }, {})).rejects.toMatchObject({
      code: "busy",
      message: expect.stringMatching(
        /encryption\.key threw for the key "a".*Try again.*the key service is down/,
      ) as string,
    });
    const { saver: lost } = await saverWith({ encryption: { keyId: nameless, key: () => key } });
    await expect(put({ saver: lost, threadId: "t" }, {})).rejects.toMatchObject({
      code: "bad-option",
      message: expect.stringMatching(/encryption\.keyId threw for the thread "t".*no such tenant/) as string,
    });
  });
});

it("options of encryption with another form are refused when the saver is built", () => {
  expect(() => VfsSaver.inMemory({ encryption: { keyId: "a b", key: () => undefined } })).toThrow(/"a b"/);
  expect(() => VfsSaver.inMemory({ encryption: {} as never })).toThrow(/encryption needs/);
});
