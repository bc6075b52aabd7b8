import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { VfsSaver } from "../../src/index.js";
import type { OpenSubject, Subject } from "../subjects.js";
import { writeThread } from "./write-thread.js";

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
  /** How many of the threads are written by the saver, after the others were filled in. @default all */
  readonly written?: number | undefined;
}

/** Writes threads, eight at a time, and reads, lists and deletes some of them. */
export async function manyThreads(
  open: OpenSubject,
  { threads: count, steps, written = count }: Size,
): Promise<ManyThreads> {
  const subject = await open();
  const { saver, finish, longestLockWait = noWait } = subject;
  const users = Math.ceil(count / threadsOfUser);
  const nameOf = (at: number): string => `user-${at % users}/thread-${at}`;
  const namesFrom = (from: number, length: number) => Array.from({ length }, (_, at) => nameOf(from + at));
  const filled = Math.max(0, count - written);
  const isFilled = filled > 0;
  if (isFilled) await addThreads(subject, { names: namesFrom(0, filled), steps, isFilled });
  const all = await addThreads(subject, { names: namesFrom(filled, count - filled), steps, isFilled: false });
  const puts = all.slice(-Math.ceil((count * steps) / 10));
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
  await addThreads(subject, { names: first.map(nameOf), steps, isFilled: false });
  const names = namesFrom(0, Math.ceil(count / 10));
  const writeOne = async (at: number) => writeThread(saver, nameOf(count + at), steps);
  const swept = await sweep({ saver, names, writeOne, longestLockWait });
  const missing = Math.max(0, names.length - swept.written);
  await addThreads(subject, { names: namesFrom(count + swept.written, missing), steps, isFilled });
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

interface AddedThreads {
  readonly names: readonly string[];
  readonly steps: number;
  /** Whether they are filled in. */
  readonly isFilled: boolean;
}

/** Adds threads, eight at a time, and returns the milliseconds of each `put`; none where they are filled in. */
async function addThreads(
  { saver, fill }: Subject,
  { names, steps, isFilled }: AddedThreads,
): Promise<readonly number[]> {
  const times: number[] = [];
  if (isFilled) {
    if (!fill) throw new Error("This storage cannot be filled: leave --written out");
    await fill(names, steps);
    return times;
  }
  let next = 0;
  const run = async () => {
    for (let name = names[next++]; name !== undefined; name = names[next++])
      times.push(...(await writeThread(saver, name, steps)));
  };
  await Promise.all(Array.from({ length: writers }, run));
  return times;
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
