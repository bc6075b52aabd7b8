import { randomUUID } from "node:crypto";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { VfsSaver } from "../src/index.js";
import type { OpenSubject } from "./subjects.js";

const writers = 8;
const sampled = 200;
const threadsOfUser = 20;

/** What a storage of many short threads costs. */
export interface ManyThreads {
  readonly threads: number;
  /** Milliseconds of one `put` while eight threads are written at once, over the last tenth of the threads. */
  readonly putMedian: number;
  readonly put99: number;
  /** Milliseconds of reading the newest checkpoint of a random thread, and of deleting a thread: medians. */
  readonly resume: number;
  readonly deletion: number;
  /** Milliseconds of a list of the twenty threads of a user: the median. */
  readonly list: number;
  readonly bytesPerThread: number;
  /** While a tenth of the threads is deleted and four threads are written at once: milliseconds of a deletion, and of a `put`. */
  readonly sweep: number;
  readonly putBeside99: number;
  /** The longest wait for a lock that was seen meanwhile, in milliseconds; 0 where the storage does not tell. */
  readonly lockWait: number;
}

export interface Size {
  readonly threads: number;
  /** Checkpoints of a thread, and the messages of the last one. */
  readonly steps: number;
}

/** Writes threads, eight at a time, and reads, lists and deletes some of them. */
export async function manyThreads(open: OpenSubject, { threads: count, steps }: Size): Promise<ManyThreads> {
  const { saver, finish, longestLockWait = noWait } = await open();
  const users = Math.ceil(count / threadsOfUser);
  const nameOf = (at: number): string => `user-${at % users}/thread-${at}`;
  const writeOne = async (at: number): Promise<readonly number[]> => writeThread(saver, nameOf(at), steps);
  const puts: number[] = [];
  await eightAtOnce(count, async (at) => {
    const own = await writeOne(at);
    if (at >= 0.9 * count) puts.push(...own);
  });
  const random = Array.from({ length: Math.min(sampled, count) }, () => Math.floor(Math.random() * count));
  const reads = await timesOf(random, async (at) =>
    saver.getTuple({ configurable: { thread_id: nameOf(at) } }),
  );
  // A saver that reads everything for a list takes seconds.
  const listed = random.slice(0, count > 5_000 ? 5 : 50);
  const lists = await timesOf(listed, async (at) => listThreads(saver, `user-${at % users}`));
  const first = Array.from({ length: Math.ceil(random.length / 2) }, (_, at) => at);
  const deletions = await timesOf(first, async (at) => saver.deleteThread(nameOf(at)));
  // Threads that go are replaced, so that the bytes are of as many.
  await eightAtOnce(first.length, writeOne);
  const names = Array.from({ length: Math.ceil(count / 10) }, (_, at) => nameOf(at));
  const swept = await sweep({
    saver,
    names,
    writeOne: async (at) => writeOne(count + at),
    longestLockWait,
  });
  await eightAtOnce(Math.max(0, names.length - swept.written), async (at) =>
    writeOne(count + swept.written + at),
  );
  const stored = count + Math.max(0, swept.written - names.length);
  return {
    threads: count,
    putMedian: quantile(puts, 0.5),
    put99: quantile(puts, 0.99),
    resume: quantile(reads, 0.5),
    deletion: quantile(deletions, 0.5),
    list: quantile(lists, 0.5),
    sweep: swept.time / names.length,
    putBeside99: quantile(swept.times, 0.99),
    lockWait: swept.lockWait,
    bytesPerThread: (await finish()) / stored,
  };
}

async function eightAtOnce(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const run = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: writers }, run));
}

async function timesOf(
  values: readonly number[],
  work: (value: number) => Promise<unknown>,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (const value of values) times.push(await timed(async () => work(value)));
  return times;
}

/** Lists the threads of a user: ours by the beginning of their ids, others with what LangGraph's interface has for it. */
async function listThreads(saver: BaseCheckpointSaver, user: string): Promise<ReadonlySet<string>> {
  const found =
    saver instanceof VfsSaver
      ? new Set(await saver.threads({ prefix: `${user}/` }))
      : await threadsByMetadata(saver, user);
  if (found.size === 0) throw new Error(`${user} has no threads`);
  return found;
}

async function threadsByMetadata(saver: BaseCheckpointSaver, user: string): Promise<Set<string>> {
  const found = new Set<string>();
  const of = { configurable: {} };
  for await (const { config } of saver.list(of, { filter: { user } }))
    found.add(String(config.configurable?.["thread_id"]));
  return found;
}

interface Swept {
  /** Milliseconds of all deletions. */
  readonly time: number;
  /** Milliseconds of each `put` meanwhile. */
  readonly times: readonly number[];
  /** Threads written meanwhile. */
  readonly written: number;
  readonly lockWait: number;
}

/** Deletes threads while four are written at once. */
async function sweep({
  saver,
  names,
  writeOne,
  longestLockWait,
}: {
  readonly saver: BaseCheckpointSaver;
  readonly names: readonly string[];
  readonly writeOne: (at: number) => Promise<readonly number[]>;
  readonly longestLockWait: () => Promise<number>;
}): Promise<Swept> {
  const end = new AbortController();
  const times: number[] = [];
  let written = 0;
  const write = async () => {
    while (!end.signal.aborted) times.push(...(await writeOne(written++)));
  };
  const writing = Array.from({ length: writers / 2 }, write);
  let lockWait = 0;
  const watch = async () => {
    while (!end.signal.aborted) lockWait = Math.max(lockWait, await longestLockWait());
  };
  const watching = watch();
  const time = await timed(async () => {
    if (saver instanceof VfsSaver) return saver.deleteThreads(names);
    for (const name of names) await saver.deleteThread(name);
  });
  end.abort();
  await Promise.all([...writing, watching]);
  return { time, times, written, lockWait };
}

/** Returns the milliseconds of each `put`. */
async function writeThread(
  saver: BaseCheckpointSaver,
  threadId: string,
  steps: number,
): Promise<readonly number[]> {
  const times: number[] = [];
  let config: object = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
  let version = saver.getNextVersion(undefined);
  const messages = [];
  for (let step = 0; step < steps; step++) {
    const content = `${threadId} says at step ${step} what no other thread says. `.repeat(4);
    messages.push(
      step % 2 === 0
        ? new HumanMessage({ id: randomUUID(), content })
        : new AIMessage({ id: randomUUID(), content }),
    );
    version = saver.getNextVersion(version);
    const checkpoint = {
      v: 4,
      id: uuid6(step),
      ts: new Date().toISOString(),
      channel_values: { messages: [...messages] },
      channel_versions: { messages: version },
      versions_seen: {},
    };
    const metadata = { source: "loop" as const, step, parents: {}, user: threadId.split("/")[0] ?? "" };
    const below = config;
    times.push(
      await timed(async () => {
        config = await saver.put(below, checkpoint, metadata, { messages: version });
      }),
    );
  }
  return times;
}

async function noWait(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  return 0;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;
}
