import { randomUUID } from "node:crypto";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import type { OpenSubject } from "./subjects.js";

/** Checkpoints of a thread, and the messages of the last one. */
const steps = 10;
const writers = 8;
const sampled = 200;

/** What a storage of many short threads costs. */
export interface ManyThreads {
  readonly threads: number;
  /** Milliseconds of one `put` while eight threads are written at once, over the last tenth of the threads. */
  readonly putMedian: number;
  readonly put99: number;
  /** Milliseconds of reading the newest checkpoint of a random thread, and of deleting a thread: medians. */
  readonly resume: number;
  readonly deletion: number;
  readonly bytesPerThread: number;
}

/** Writes `count` threads of ten steps, eight at a time, and reads and deletes some of them. */
export async function manyThreads(open: OpenSubject, count: number): Promise<ManyThreads> {
  const { saver, finish } = await open();
  const times: number[] = [];
  let next = 0;
  const write = async () => {
    while (next < count) {
      const at = next++;
      const own = await writeThread(saver, `thread-${at}`);
      if (at >= 0.9 * count) times.push(...own);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  const ids = Array.from(
    { length: Math.min(sampled, count) },
    () => `thread-${Math.floor(Math.random() * count)}`,
  );
  const reads: number[] = [];
  for (const id of ids)
    reads.push(await timed(async () => saver.getTuple({ configurable: { thread_id: id } })));
  // Threads that go are replaced, so that the bytes are of as many.
  const deletions: number[] = [];
  for (let at = 0; at < ids.length / 2; at++) {
    deletions.push(await timed(async () => saver.deleteThread(`thread-${at}`)));
    await writeThread(saver, `thread-${at}`);
  }
  const bytes = await finish();
  return {
    threads: count,
    putMedian: quantile(times, 0.5),
    put99: quantile(times, 0.99),
    resume: quantile(reads, 0.5),
    deletion: quantile(deletions, 0.5),
    bytesPerThread: bytes / count,
  };
}

/** Returns the milliseconds of each `put`. */
async function writeThread(saver: BaseCheckpointSaver, threadId: string): Promise<readonly number[]> {
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
    const metadata = { source: "loop" as const, step, parents: {} };
    const below = config;
    times.push(
      await timed(async () => {
        config = await saver.put(below, checkpoint, metadata, { messages: version });
      }),
    );
  }
  return times;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;
}
