import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { WrittenThread } from "./write-thread.js";

/** Steps of agents that come at a rate, whether or not the storage keeps up. */
export interface Load {
  /** Agents that take steps at once, each in a thread of its own that is replaced after ten steps. */
  readonly writers: number;
  /** Steps a second of all agents together; 0 for as many as they can. */
  readonly rate: number;
  readonly seconds: number;
}

/** What a load has taken. */
export interface Loaded {
  /** Milliseconds of each step, from the moment at which it was due to the end of its `put`. */
  readonly times: readonly number[];
  readonly seconds: number;
  /** Seconds of processor time of this process. */
  readonly cpu: number;
}

const stepsOfThread = 10;
let threads = 0;

/** Puts a load on a saver. Each step waits for the one before it of its agent, and that wait counts. */
export async function offerLoad(saver: BaseCheckpointSaver, load: Load): Promise<Loaded> {
  const times: number[] = [];
  const before = process.cpuUsage();
  const start = performance.now();
  const run = async (_: unknown, at: number) => times.push(...(await stepsOf(saver, load, at)));
  await Promise.all(Array.from({ length: load.writers }, run));
  const { user, system } = process.cpuUsage(before);
  return { times, seconds: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 };
}

/** Takes the steps of the agent `at`, and returns the milliseconds of each. */
async function stepsOf(
  saver: BaseCheckpointSaver,
  { writers, rate, seconds }: Load,
  at: number,
): Promise<readonly number[]> {
  const pause = rate === 0 ? 0 : (1000 * writers) / rate;
  const end = performance.now() + 1000 * seconds;
  const times: number[] = [];
  let thread: WrittenThread | undefined;
  for (let due = performance.now() + (pause * at) / writers; due < end; due += pause) {
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    if (pause === 0) due = performance.now();
    if (due >= end) break;
    if (thread === undefined || thread.steps === stepsOfThread)
      thread = new WrittenThread(saver, `user-${at}/thread-${threads++}`);
    // A timer is late by a millisecond or two, which is not the storage's.
    const begin = early > 0 ? performance.now() : due;
    await thread.step();
    times.push(performance.now() - begin);
  }
  return times;
}
