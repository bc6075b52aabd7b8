import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { emptyCheckpoint, MemorySaver, uuid6 } from "@langchain/langgraph-checkpoint";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import * as fc from "fast-check";
import Database from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import { newDatabase } from "../testing/empty-postgres.js";
import { temporaryPath } from "../testing/savers.js";
import { CachedMessagesSerializer } from "./cached-messages.js";
import { migrateThread } from "./migrate-thread.js";
import { VfsSaver } from "../saver/vfs-saver.js";

const config = { configurable: { thread_id: "t" } };
const threadId = "t";

function chat(saver: BaseCheckpointSaver) {
  return new StateGraph(MessagesAnnotation)
    .addNode("model", ({ messages }) => ({
      messages: [new AIMessage({ id: `a${messages.length}`, content: "Yes." })],
    }))
    .addEdge(START, "model")
    .compile({ checkpointer: saver });
}

async function say(saver: BaseCheckpointSaver, id: string): Promise<void> {
  await chat(saver).invoke({ messages: [new HumanMessage({ id, content: `Is it ${id}?` })] }, config);
}

async function idsOf(saver: BaseCheckpointSaver): Promise<readonly (string | undefined)[]> {
  const { values } = await chat(saver).getState(config);
  return (values as typeof MessagesAnnotation.State).messages.map(({ id }) => id);
}

/** The tuples of a thread, newest first, with what every saver stores of them. */
async function tuplesIn(saver: BaseCheckpointSaver) {
  const tuples = [];
  for await (const { config: one } of saver.list(config)) {
    const tuple = await saver.getTuple(one);
    if (tuple === undefined) throw new Error("A listed checkpoint is not there");
    const { checkpoint, metadata, parentConfig } = tuple;
    const { id, ts, channel_versions, versions_seen } = checkpoint;
    const parent: unknown = parentConfig?.configurable?.["checkpoint_id"];
    tuples.push({ id, ts, channel_versions, versions_seen, metadata, parent });
  }
  return tuples;
}

const postgresUrl = process.env["PALIMPSEST_POSTGRES_URL"];
const pools: PostgresSaver[] = [];
afterAll(async () => {
  for (const saver of pools) await saver.end();
});
const others: Readonly<Record<string, () => Promise<BaseCheckpointSaver>>> = {
  MemorySaver: async () => new MemorySaver(),
  SqliteSaver: async () => new SqliteSaver(new Database(":memory:")),
  ...(postgresUrl && {
    PostgresSaver: async () => {
      const name = `migrated_${process.pid}_${pools.length}`;
      const saver = PostgresSaver.fromConnString(await newDatabase(postgresUrl, name));
      pools.push(saver);
      await saver.setup();
      return saver;
    },
  }),
};

describe.each(Object.keys(others))("a thread of a %s", (name) => {
  const open = async () => {
    const saver = await others[name]?.();
    if (saver === undefined) throw new Error(name);
    return saver;
  };

  it("continues in a VfsSaver, and later in the old saver with the messages since then", async () => {
    const old = await open();
    await say(old, "one");
    const saver = VfsSaver.fromPath(temporaryPath());
    const { copied } = await migrateThread({ from: old, to: saver, threadId });
    await say(saver, "two");
    const back = await migrateThread({ from: saver, to: old, threadId });
    await say(old, "three");

    expect(await idsOf(saver)).toEqual(["one", "a1", "two", "a3"]);
    expect(await idsOf(old)).toEqual(["one", "a1", "two", "a3", "three", "a5"]);
    expect(back.present).toBe(copied);
    expect(back.copied).toBeGreaterThan(0);
    await saver.close();
  });

  it("has the same tuples in the VfsSaver: metadata, parents and times too", async () => {
    const old = await open();
    await say(old, "one");
    const saver = VfsSaver.inMemory();
    await migrateThread({ from: old, to: saver, threadId });
    const copies = await tuplesIn(saver);
    expect(copies).toEqual(await tuplesIn(old));
    expect(copies.map(({ metadata }) => metadata?.step)).toEqual([1, 0, -1]);
  });

  it("does not count as copied if the target has another parent, time or metadata", async () => {
    const old = await open();
    await say(old, "one");
    const tuple = await old.getTuple(config);
    if (tuple === undefined) throw new Error("Nothing was stored");
    const { checkpoint, metadata = { source: "loop", step: 1, parents: {} }, parentConfig } = tuple;
    const below = parentConfig ?? config;
    const changed = [
      { below, checkpoint, metadata: { ...metadata, step: 9 } },
      { below, checkpoint: { ...checkpoint, ts: "2020-01-01T00:00:00.000Z" }, metadata },
      { below: config, checkpoint, metadata },
    ];
    for (const one of changed) {
      const saver = VfsSaver.inMemory();
      await saver.put(one.below, one.checkpoint, one.metadata, checkpoint.channel_versions);
      await migrateThread({ from: old, to: saver, threadId });
      expect(await tuplesIn(saver)).toEqual(await tuplesIn(old));
    }
  });
});

it("a migration keeps the order of the writes of several tasks, which their paths determine", async () => {
  const [old, saver] = [VfsSaver.inMemory(), VfsSaver.fromPath(temporaryPath())];
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(0) };
  const metadata = { source: "loop", step: 0, parents: {} } as const;
  const at = await old.put(
    { configurable: { thread_id: threadId, checkpoint_ns: "" } },
    checkpoint,
    metadata,
    {},
  );
  await old.putWrites(at, [["messages", "second"]], "a", "~__pregel_pull, b");
  await old.putWrites(at, [["messages", "first"]], "b", "~__pregel_pull, a");
  await migrateThread({ from: old, to: saver, threadId });
  const written = (await saver.getTuple(config))?.pendingWrites?.map(([, , value]) => value);
  expect(written).toEqual(["first", "second"]);
  await saver.close();
});

it("a repeated migration continues where the interrupted one ended, and copies new checkpoints of the source", async () => {
  const old = new MemorySaver();
  await say(old, "one");
  const saver = VfsSaver.inMemory();
  const put = saver.put.bind(saver);
  let puts = 0;
  saver.put = async (...input) => {
    puts += 1;
    if (puts === 2) throw new Error("The process ends.");
    return put(...input);
  };
  await expect(migrateThread({ from: old, to: saver, threadId })).rejects.toThrow("The process ends.");
  await say(old, "two");
  const { present } = await migrateThread({ from: old, to: saver, threadId });
  expect(present).toBe(1);
  expect(await idsOf(saver)).toEqual(["one", "a1", "two", "a3"]);
});

/** A saver that lists ids without values, as those of the command line do, and counts what it reads. */
class CountingSaver extends MemorySaver {
  reads = 0;

  constructor() {
    super(new CachedMessagesSerializer());
  }

  override async getTuple(place: RunnableConfig) {
    this.reads += 1;
    return super.getTuple(place);
  }

  override list(): never {
    throw new Error("Every value of the thread would be read.");
  }

  async *checkpoints(thread: string) {
    for (const [namespace, ids] of Object.entries(this.storage[thread] ?? {}))
      for (const id of Object.keys(ids)) yield { namespace, id };
  }
}

const idIn = ({ configurable }: RunnableConfig): string => String(configurable?.["checkpoint_id"]);

it("a migration copies the writes that a running step and its subgraph gain after their checkpoints were copied", async () => {
  const [old, saver] = [new MemorySaver(), VfsSaver.inMemory()];
  const put = async (namespace: string, step: number, parent?: string): Promise<RunnableConfig> => {
    const at = {
      ...config.configurable,
      checkpoint_ns: namespace,
      ...(parent ? { checkpoint_id: parent } : {}),
    };
    const checkpoint = { ...emptyCheckpoint(), id: uuid6(step) };
    return old.put({ configurable: at }, checkpoint, { source: "loop", step, parents: {} });
  };
  const first = await put("", 0);
  const outer = await put("", 1, idIn(first));
  const inner = await put("sub:1", 2);
  const innermost = await put("sub:1|sub:2", 3);
  const ran: RunnableConfig[] = [];
  // The step ends when all of it is copied, and the next one begins.
  const onProgress = async (done: number): Promise<void> => {
    if (done !== 4 || ran.length > 0) return;
    ran.push(innermost, inner, outer);
    for (const at of ran) await old.putWrites(at, [["messages", "an answer"]], "task");
    ran.push(await put("", 4, idIn(outer)));
  };
  await migrateThread({ from: old, to: saver, threadId, onProgress: (done) => void onProgress(done) });
  expect(ran).toHaveLength(4);
  for (const at of ran.slice(0, 3))
    expect([at, (await saver.getTuple(at))?.pendingWrites]).toEqual([
      at,
      [["task", "messages", "an answer"]],
    ]);
  expect(await tuplesIn(saver)).toEqual(await tuplesIn(old));
  await saver.close();
});

it("a migration reads each checkpoint of a source that lists ids once, and the newest once more", async () => {
  const old = new CountingSaver();
  for (let turn = 0; turn < 9; turn++) await say(old, `turn ${turn}`);
  old.reads = 0;
  const saver = VfsSaver.inMemory();
  const { copied } = await migrateThread({ from: old, to: saver, threadId });
  expect(copied).toBe(27);
  expect(old.reads).toBe(copied + 1);
  expect(await tuplesIn(saver)).toHaveLength(copied);
});

const changes: Readonly<Record<string, object>> = {
  content: { content: "No." },
  id: { id: "other" },
  name: { name: "Eve" },
  "metadata of the response": { response_metadata: { model: "other" } },
};

it.each(Object.keys(changes))(
  "a migration throws where the target stores another %s of any message that earlier checkpoints had right",
  async (field) => {
    const old = new MemorySaver(new CachedMessagesSerializer());
    for (let turn = 0; turn < 6; turn++) await say(old, `turn ${turn}`);
    await fc.assert(
      fc.asyncProperty(fc.nat(11), async (at) => {
        const saver = VfsSaver.inMemory();
        const put = saver.put.bind(saver);
        saver.put = async (...input) => {
          const [place, checkpoint, ...rest] = input;
          const messages = (checkpoint.channel_values["messages"] ?? []) as readonly BaseMessage[];
          const changed = messages.map((message, index) => {
            if (index !== at || messages.length < 12) return message;
            const { id, content } = message;
            return Reflect.construct(message.constructor, [
              { id, content, ...changes[field] },
            ]) as BaseMessage;
          });
          const values = { ...checkpoint.channel_values, messages: changed };
          return put(place, { ...checkpoint, channel_values: values }, ...rest);
        };
        const migrating = migrateThread({ from: old, to: saver, threadId });
        await expect(migrating).rejects.toMatchObject({ code: "corrupt" });
      }),
      { numRuns: 12 },
    );
  },
);

it("a migration reports how many of all checkpoints are done, including those that were already there", async () => {
  const [from, to] = [new MemorySaver(), VfsSaver.inMemory()];
  await say(from, "first");
  const seen: string[] = [];
  const onProgress = (done: number, all: number): void => void seen.push(`${done}/${all}`);
  await migrateThread({ from, to, threadId, onProgress });
  expect(seen).toEqual(["1/3", "2/3", "3/3"]);
  await migrateThread({ from, to, threadId, onProgress });
  expect(seen).toHaveLength(6);
});

it("a closed source says that the thread was migrated, and refuses to run", async () => {
  const old = new MemorySaver();
  await say(old, "one");
  const saver = VfsSaver.inMemory();
  await migrateThread({ from: old, to: saver, threadId, closeSource: true });
  const { values } = await chat(old).getState(config);
  expect(JSON.stringify(values)).toContain("This thread was migrated to another saver: continue it there.");
  await expect(say(old, "two")).rejects.toThrow("This thread was migrated");
  expect((await migrateThread({ from: old, to: saver, threadId })).copied).toBe(0);
});

it("a thread is deleted from the index in the same call", async () => {
  const removed: string[] = [];
  const saver = VfsSaver.inMemory({ index: { removeThread: async (id) => void removed.push(id) } });
  await say(saver, "one");
  await saver.deleteThread(threadId);
  expect(removed).toEqual([threadId]);
  expect(await saver.getTuple(config)).toBeUndefined();
});

it("a thread that does not exist is not migrated", async () => {
  const migrating = migrateThread({ from: new MemorySaver(), to: VfsSaver.inMemory(), threadId: "none" });
  await expect(migrating).rejects.toMatchObject({ code: "not-found" });
});
