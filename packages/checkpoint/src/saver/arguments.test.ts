import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import type { Checkpoint, CheckpointListOptions, CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { temporaryPath, testedSavers } from "../testing/savers.js";
import { VfsSaver } from "./vfs-saver.js";

const [thread_id, checkpoint_ns] = ["t", ""];
const config = { configurable: { thread_id, checkpoint_ns } };
const metadata: CheckpointMetadata = { source: "loop", step: 0, parents: {} };
const ids = [uuid6(1), uuid6(2), uuid6(3)];

function checkpoint(id: string = uuid6(0)): Checkpoint {
  return { ...emptyCheckpoint(), id, channel_values: { a: 1 }, channel_versions: { a: 1 } };
}

async function filled(create: () => Promise<VfsSaver>): Promise<VfsSaver> {
  const saver = await create();
  for (const id of ids) await saver.put(config, checkpoint(id), metadata, { a: 1 });
  return saver;
}

async function listed(saver: VfsSaver, where: object, options?: unknown): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { checkpoint } of saver.list(
    { configurable: where },
    options as CheckpointListOptions | undefined,
  ))
    found.push(checkpoint.id);
  return found;
}

/** What callers without types pass, each with what the error names. */
const wrongNames: readonly (readonly [name: string, configurable: object])[] = [
  ["checkpoint_ns", { checkpoint_ns: 5 }],
  ["checkpoint_ns", { checkpoint_ns: {} }],
  ["checkpoint_id", { checkpoint_id: 7 }],
  ["checkpoint_id", { checkpoint_id: ["a"] }],
  ["checkpoint_id", { checkpoint_id: "\0" }],
  ["thread_id", { thread_id: null }],
];
const wrongLimits: readonly unknown[] = [1.5, Number.NaN, -1, "2", {}, true];
const wrongCheckpoints: readonly (readonly [name: string, part: object])[] = [
  ["checkpoint.id", { id: undefined }],
  ["checkpoint.id", { id: 5 }],
  ["checkpoint.id", { id: "" }],
  ["checkpoint.channel_values", { channel_values: null }],
  ["checkpoint.channel_versions", { channel_versions: undefined }],
];
type Writes = readonly [writes: unknown, taskId: unknown, taskPath?: unknown];
const wrongWrites: readonly (readonly [name: string, args: Writes])[] = [
  ["taskId", [[["a", 1]], 5]],
  ["taskId", [[["a", 1]], undefined]],
  ["taskId", [[["a", 1]], ""]],
  ["taskPath", [[["a", 1]], "task", null]],
  ["writes", [undefined, "task"]],
  ["writes[0]", [[null], "task"]],
  ["writes[0]", [[[5, 1]], "task"]],
];

describe.each(testedSavers)("$name", ({ create }) => {
  it.each(wrongNames)("refuses a wrong %s in a config: %j", async (name, wrong) => {
    const saver = await filled(create);
    const where = { thread_id, checkpoint_id: ids[0], ...wrong };
    const given = { configurable: where };
    const refused = { code: "bad-option", message: expect.stringContaining(`configurable.${name} is `) };
    await expect(saver.getTuple(given)).rejects.toMatchObject(refused);
    await expect(listed(saver, where)).rejects.toMatchObject(refused);
    await expect(saver.put(given, checkpoint(), metadata, { a: 1 })).rejects.toMatchObject(refused);
    await expect(saver.putWrites(given, [["a", 1]], "task")).rejects.toMatchObject(refused);
    expect(await listed(saver, config.configurable)).toEqual(ids.toReversed());
    await saver.close();
  });

  it("lists the same before an id that is no UUID, which sorts before all that are", async () => {
    const saver = await filled(create);
    for (const id of ["a", "m", "x"]) await saver.put(config, checkpoint(id), metadata, { a: 1 });
    const all = [...ids, "a", "m", "x"];
    const before = async (checkpoint_id: string, where = {}): Promise<unknown[]> =>
      listed(saver, { ...config.configurable, ...where }, { before: { configurable: { checkpoint_id } } });
    expect(await before("m")).toEqual(["a"]);
    expect(new Set(await before("~"))).toEqual(new Set(["a", "m", "x"]));
    expect(await before("A")).toEqual([]);
    const kept = await Promise.all(all.map(async (id) => before("n", { checkpoint_id: id })));
    expect(kept.flat()).toEqual(["a", "m"]);
    const damage: unknown[] = [];
    await saver.verify(thread_id, (part) => damage.push(part));
    expect(damage).toEqual([]);
    await saver.close();
  });

  it("says of a namespace that is no text what it may be: it may be empty, and a thread_id may not", async () => {
    const saver = await create();
    const messageOf = async (configurable: object): Promise<string> =>
      saver.getTuple({ configurable }).then(String, (error: Error) => error.message);
    expect(await messageOf({ thread_id, checkpoint_ns: 5 })).toMatch(/checkpoint_ns that is a string\.$/u);
    expect(await messageOf({ thread_id: 5 })).toMatch(/thread_id that is a string and not empty\.$/u);
    await saver.close();
  });

  it("takes null in the place of a namespace or an id as none", async () => {
    const saver = await filled(create);
    const nulls = { thread_id, checkpoint_ns: null, checkpoint_id: null };
    expect((await saver.getTuple({ configurable: nulls }))?.checkpoint.id).toBe(ids[2]);
    expect(await listed(saver, nulls, { limit: null, before: null })).toEqual(ids.toReversed());
    const last = checkpoint(uuid6(4));
    const put = await saver.put({ configurable: nulls }, last, metadata, { a: 1 });
    expect(put.configurable).toEqual({ ...config.configurable, checkpoint_id: last.id });
    expect((await saver.getTuple(config))?.checkpoint.id).toBe(last.id);
    await saver.close();
  });

  it.each(wrongLimits)("refuses a list and a range of threads of at most %j", async (limit) => {
    const saver = await filled(create);
    const refused = { code: "bad-option", message: expect.stringContaining("limit is ") };
    await expect(listed(saver, config.configurable, { limit })).rejects.toMatchObject(refused);
    await expect(saver.threads({ limit: limit as number })).rejects.toMatchObject(refused);
    await saver.close();
  });

  it.each(wrongCheckpoints)("refuses a checkpoint with a wrong %s: %j", async (name, part) => {
    const saver = await filled(create);
    const wrong = { ...checkpoint(), ...part } as Checkpoint;
    await expect(saver.put(config, wrong, metadata, { a: 1 })).rejects.toMatchObject({
      code: "bad-option",
      message: expect.stringContaining(`${name} is `),
    });
    expect(await listed(saver, config.configurable)).toEqual(ids.toReversed());
    await saver.close();
  });

  it.each(wrongWrites)("refuses writes with a wrong %s: %j", async (name, args) => {
    const saver = await filled(create);
    const at = { configurable: { thread_id, checkpoint_ns, checkpoint_id: ids[2] } };
    const put = saver.putWrites(at, ...(args as unknown as [[string, unknown][], string, string?]));
    await expect(put).rejects.toMatchObject({
      code: "bad-option",
      message: expect.stringContaining(`${name} is `),
    });
    expect((await saver.getTuple(config))?.pendingWrites).toEqual([]);
    await saver.close();
  });
});

it.each(["file:agent.db", "file:agent.db?mode=memory", "FILE:///tmp/agent.db"])(
  "a file has no url, which SQLite would open otherwise than its readers: %s",
  (url) => {
    const error = expect.objectContaining({
      code: "bad-option",
      message: expect.stringContaining(JSON.stringify(url)),
    });
    expect(() => VfsSaver.fromPath(url)).toThrow(error);
    const path = temporaryPath();
    const database = new LibsqlDatabase(path);
    database.close();
    expect(() => VfsSaver.backup(path, url)).toThrow(error);
  },
);

it.each(["libsql://agents.example.com", "https://agents.example.com", "WSS://agents.example.com"])(
  "a file has no url of a server: %s",
  (url) => {
    expect(() => VfsSaver.fromPath(url)).toThrow(
      expect.objectContaining({ code: "bad-option", message: expect.stringContaining("url of a server") }),
    );
  },
);
