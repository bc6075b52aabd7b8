import type { RunnableConfig } from "@langchain/core/runnables";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { storeSaver, temporaryPath, testedSavers } from "../testing/savers.js";
import { sharedDatabases } from "../testing/shared-savers.js";
import { VfsSaver } from "../saver/vfs-saver.js";

const config = (id?: string, namespace = ""): RunnableConfig => ({
  configurable: {
    thread_id: "t",
    checkpoint_ns: namespace,
    ...(id === undefined ? {} : { checkpoint_id: id }),
  },
});

const long = (seed: string): string => `${seed} `.repeat(400);

function checkpointOf(step: number, values: Record<string, unknown>): Checkpoint {
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, step + 1.5]));
  return {
    v: 4,
    id: uuid6(step),
    ts: new Date().toISOString(),
    channel_values: values,
    channel_versions: versions,
    versions_seen: {},
  };
}

async function put(saver: VfsSaver, at: RunnableConfig, checkpoint: Checkpoint): Promise<RunnableConfig> {
  const metadata = { source: "loop", step: 0, parents: {} } as const;
  return saver.put(at, checkpoint, metadata, checkpoint.channel_versions);
}

/** Puts checkpoints with values of their own, and returns their configs, oldest first. */
async function grow(saver: VfsSaver, steps: number, namespace = ""): Promise<RunnableConfig[]> {
  const configs: RunnableConfig[] = [];
  for (let step = 0; step < steps; step++) {
    const at = configs.at(-1) ?? config(undefined, namespace);
    configs.push(await put(saver, at, checkpointOf(step, { note: long(`${namespace} ${step}`) })));
  }
  return configs;
}

const anywhere = { configurable: { thread_id: "t" } };

describe.each([...testedSavers, storeSaver])("beside a collection on $name", ({ create }) => {
  it.each([1, 3, 40])("a list that has read %d checkpoints ends with what is still stored", async (read) => {
    const saver = await create();
    await grow(saver, 60);
    await grow(saver, 60, "sub:1");
    const found: unknown[] = [];
    for await (const { checkpoint } of saver.list(anywhere)) {
      if (found.push(checkpoint.channel_values["note"]) === read) await saver.prune("t", { keepLast: 2 });
    }
    const left: unknown[] = [];
    for await (const { checkpoint } of saver.list(anywhere)) left.push(checkpoint.channel_values["note"]);
    expect(left.every((note) => found.includes(note))).toBe(true);
    await saver.close();
  });

  it.each([
    [
      "tasks that write",
      async (saver: VfsSaver, configs: readonly RunnableConfig[]) => {
        for (const at of configs) await saver.putWrites(at, [["note", "later"]], "later task");
      },
    ],
    ["a collection", async (saver: VfsSaver) => saver.prune("t", { keepLast: 2 })],
    ["a deletion", async (saver: VfsSaver) => saver.deleteThread("t")],
  ])("a list of checkpoints with writes reports no damage beside %s", async (_, meanwhile) => {
    const saver = await create();
    const configs = await grow(saver, 60);
    for (const at of configs) await saver.putWrites(at, [["note", "early"]], "task");
    const found: unknown[] = [];
    for await (const { pendingWrites } of saver.list(anywhere)) {
      if (found.push(pendingWrites) === 3) await meanwhile(saver, configs);
    }
    expect(found.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => [["task", "note", "early"]]));
    await saver.close();
  });

  it("writes that come before their checkpoint keep values that were stored long before", async () => {
    const saver = await create();
    const value = long("a value of the first checkpoint");
    const at = await put(saver, config(), checkpointOf(0, { note: value }));
    const configs = await grow(saver, 20);
    const next = checkpointOf(21, { note: "next" });
    await saver.putWrites(config(next.id), [["note", value]], "task");
    await saver.prune("t", { keepLast: 1 });
    expect(await saver.getTuple(at)).toBeUndefined();
    await put(saver, configs.at(-1) ?? config(), next);
    expect((await saver.getTuple(config(next.id)))?.pendingWrites).toEqual([["task", "note", value]]);
    await saver.prune("t", { keepLast: 1 });
    expect((await saver.getTuple(config(next.id)))?.pendingWrites).toEqual([["task", "note", value]]);
    await saver.close();
  });

  it("a history ends with what is still stored", async () => {
    const saver = await create();
    await grow(saver, 60);
    let read = 0;
    for await (const { checkpoint } of saver.history("t")) {
      expect(checkpoint.channel_values["note"]).toEqual(expect.any(String));
      if (++read === 4) await saver.prune("t", { keepLast: 2 });
    }
    expect(read).toBeGreaterThanOrEqual(4);
    await saver.close();
  });

  it("a check reports no damage", async () => {
    const saver = await create();
    await grow(saver, 150);
    await grow(saver, 20, "sub:1");
    const damage: unknown[] = [];
    const checking = saver.verify("t", (part) => damage.push(part));
    await saver.prune("t", { keepLast: 1 });
    await checking;
    expect(damage).toEqual([]);
    await saver.close();
  });

  it("a copy is whole, at whatever moment the collection begins", async () => {
    const saver = await create();
    for (let turns = 0; turns < 240; turns += 12) {
      await grow(saver, 8);
      const copying = saver.copyThread("t", `copy ${turns}`);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await saver.prune("t", { keepLast: 1 });
      await copying;
      const damage: unknown[] = [];
      const { checkpoints } = await saver.verify(`copy ${turns}`, (part) => damage.push(part));
      expect([turns, checkpoints > 0, damage]).toEqual([turns, true, []]);
    }
    await saver.close();
  });

  it("a step that follows a deleted checkpoint is stored with every channel", async () => {
    const saver = await create();
    const [old] = await grow(saver, 4);
    await saver.prune("t", { keepLast: 1 });
    const values = { note: long("changed"), kept: long("unchanged") };
    const next = checkpointOf(9, values);
    const metadata = { source: "fork", step: 9, parents: {} } as const;
    await saver.put(old ?? {}, next, metadata, { note: next.channel_versions["note"] ?? 0 });
    expect((await saver.getTuple(config(next.id)))?.checkpoint.channel_values).toEqual(values);
    await saver.close();
  });

  it("a step that follows an older checkpoint can be read, at whatever moment it begins", async () => {
    for (let turns = 0; turns < 24; turns++) {
      const saver = await create();
      const configs = await grow(saver, 4);
      const values = { note: long("changed"), kept: long("unchanged") };
      const old = await put(saver, configs[2] ?? {}, checkpointOf(3, values));
      await grow(saver, 1);
      const collecting = saver.prune("t", { keepLast: 1 });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const next = checkpointOf(9, { ...values, note: long("changed again") });
      next.channel_versions["kept"] = 4.5;
      const metadata = { source: "fork", step: 9, parents: {} } as const;
      await saver.put(old, next, metadata, { note: next.channel_versions["note"] ?? 0 });
      await collecting;
      const read = (await saver.getTuple(config(next.id)))?.checkpoint.channel_values;
      expect([turns, read ?? next.channel_values]).toEqual([turns, next.channel_values]);
      await saver.close();
    }
  });
});

describe.each(sharedDatabases)("a collection by another process on $name", ({ create }) => {
  it("keeps the values of writes whose checkpoint is not stored yet", async () => {
    const open = await create();
    const [writer, collector] = [await open(), await open()];
    const [at] = await grow(writer, 1);
    const next = checkpointOf(1, { note: long("next") });
    const writes = [["note", long("written")]] as [string, unknown][];
    await writer.putWrites(config(next.id), writes, "task");
    await collector.prune("t", { keepLast: 1 });
    await put(writer, at ?? {}, next);
    const read = await (await open()).getTuple(config());
    expect(read?.pendingWrites).toEqual([["task", ...(writes[0] ?? [])]]);
    await Promise.all([writer, collector].map(async (saver) => saver.close()));
  });
});

describe.each([...testedSavers, storeSaver])("prune on $name", ({ create }) => {
  it("keeps the values of writes whose checkpoint is not stored yet", async () => {
    const saver = await create();
    const [at] = await grow(saver, 3);
    const [next, later] = [checkpointOf(3, { note: long("next") }), checkpointOf(4, { note: long("later") })];
    const writes = [["note", long("written")]] as [string, unknown][];
    await saver.putWrites(config(next.id), writes, "task");
    expect((await saver.prune("t", { keepLast: 1 })).checkpoints).toBe(2);
    await put(saver, at ?? {}, next);
    expect((await saver.getTuple(config(next.id)))?.pendingWrites).toEqual([["task", ...(writes[0] ?? [])]]);
    await put(saver, config(next.id), later);
    await saver.prune("t", { keepLast: 1 });
    expect((await saver.getTuple(config(later.id)))?.checkpoint.channel_values).toEqual(later.channel_values);
    await saver.close();
  });
});

describe.each(testedSavers)("prune on $name", ({ create }) => {
  it("keeps the runs of subgraphs at any depth under a kept checkpoint", async () => {
    const saver = await create();
    const root = checkpointOf(0, { note: 0 });
    await put(saver, config(), root);
    const parents: Record<string, string> = { "": root.id };
    let namespace = "";
    for (let depth = 0; depth < 7; depth++) {
      namespace += `${depth === 0 ? "" : "|"}research_supervisor:${crypto.randomUUID()}`;
      const inner = checkpointOf(0, { note: depth });
      const metadata = { source: "loop", step: 0, parents: { ...parents } } as const;
      await saver.put(config(undefined, namespace), inner, metadata, inner.channel_versions);
      parents[namespace] = inner.id;
    }
    expect(await saver.prune("t", { keepLast: 1 })).toMatchObject({ checkpoints: 0 });
    await saver.close();
  });
});

describe("prune of a damaged thread", () => {
  it.each([
    ["gone", "DELETE FROM blobs WHERE id = ?"],
    [
      "changed",
      "UPDATE blobs SET data = CAST(substr(data, 1, length(data) - 9) || '123456789' AS BLOB) WHERE id = ?",
    ],
  ])("deletes nothing where a page that a kept checkpoint needs is %s", async (_, sql) => {
    const path = temporaryPath();
    const saver = VfsSaver.fromPath(path, { compress: false });
    const items = Array.from({ length: 60 }, (_, index) => long(`item ${index}`));
    const [first] = await grow(saver, 1);
    await put(saver, first ?? {}, checkpointOf(1, { items }));
    await saver.close();
    const database = new LibsqlDatabase(path);
    const page = database.get(
      "SELECT id FROM blobs WHERE substr(data, 2, 2) = CAST('[\"' AS BLOB) ORDER BY id LIMIT 1",
    );
    database.run(sql, Number(page?.["id"]));
    const rows = (): unknown[] =>
      ["blobs", "checkpoints"].map(
        (table) => database.get(`SELECT count(*) AS rows FROM ${table}`)?.["rows"],
      );
    const before = rows();
    const damaged = VfsSaver.fromPath(path);
    await expect(damaged.prune("t", { keepLast: 1 })).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:corrupt|missing-blob)$/),
      message: expect.stringContaining('The thread "t" cannot be read.'),
    });
    expect(rows()).toEqual(before);
    await damaged.close();
    database.close();
  });
});
