import { AIMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { randomUUID } from "node:crypto";
import { texts } from "../texts.js";
import { chat, reader, run, textsOf, thread } from "./chat.js";
import type { Rival } from "./rivals.js";
import type { Storage } from "./storage.js";

/** The messages of a thread, the same for each rival. */
export interface Script {
  readonly content: string;
  readonly messages: readonly { readonly id: string; readonly content: string }[];
}

export interface Cost {
  readonly rival: string;
  readonly content: string;
  readonly steps: number;
  readonly bytes: number;
  readonly bytesPerStep: number;
  /** Bytes stored for each byte of content. */
  readonly factor: number;
  /** CPU time of `put` and `putWrites` for a step, mean of all steps: snapshots of delta channels are rare and large. */
  readonly putCpuMs: number;
  /** CPU time of the run, for a step. */
  readonly stepCpuMs: number;
  /** CPU time of reading the newest state back with a new saver, the shortest of five. */
  readonly getCpuMs: number;
}

const briefBytes = 100;
const reads = 5;

/** Returns the contents to compare with. Random characters cannot be compressed. */
export function scripts(steps: number): Script[] {
  const [random, text] = [texts("random"), texts("text")];
  return [
    { content: "2 KB random", messages: script(steps, random) },
    { content: "2 KB text", messages: script(steps, text) },
    { content: "100 bytes of text", messages: script(steps, () => text().slice(0, briefBytes)) },
  ];
}

function script(steps: number, next: () => string): Script["messages"] {
  return Array.from({ length: steps }, () => ({ id: randomUUID(), content: next() }));
}

/** Runs one thread on a rival, a message a step, and reads it back. */
export async function cost(rival: Rival, { content, messages }: Script): Promise<Cost> {
  const storage = rival.create();
  try {
    const steps = messages.length;
    const { putCpuMs, runCpuMs } = await write(rival, storage, messages);
    const expected = messages.map((message) => message.content);
    const getCpuMs = await read(rival, storage, expected);
    const bytes = storage.bytes();
    const contentBytes = expected.reduce((sum, text) => sum + text.length, 0);
    return {
      rival: rival.name,
      content,
      steps,
      bytes,
      bytesPerStep: bytes / steps,
      factor: bytes / contentBytes,
      putCpuMs: putCpuMs / steps,
      stepCpuMs: runCpuMs / steps,
      getCpuMs,
    };
  } finally {
    storage.remove();
  }
}

async function write(
  { isDelta }: Rival,
  storage: Storage,
  messages: Script["messages"],
): Promise<{ readonly putCpuMs: number; readonly runCpuMs: number }> {
  const { saver, close } = storage.open();
  const spent = timePuts(saver);
  let at = 0;
  const graph = chat({
    saver,
    isDelta,
    next: () => new AIMessage({ ...messages[at++] }),
    goesOn: () => at < messages.length,
  });
  const start = cpuMs();
  await graph.invoke({ messages: [] }, run);
  const runCpuMs = cpuMs() - start;
  await close();
  return { putCpuMs: spent(), runCpuMs };
}

/** The CPU time of the process so far. Unlike the clock, it hardly depends on what else the machine does. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Measures from here on the CPU time while calls that write are under way: what two calls do at the same time counts once. */
function timePuts(saver: BaseCheckpointSaver): () => number {
  let [spent, open, since] = [0, 0, 0];
  const timed =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (open++ === 0) since = cpuMs();
      try {
        return await call(...args);
      } finally {
        if (--open === 0) spent += cpuMs() - since;
      }
    };
  saver.put = timed(saver.put.bind(saver));
  saver.putWrites = timed(saver.putWrites.bind(saver));
  return () => spent;
}

async function read({ isDelta }: Rival, storage: Storage, expected: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < reads; round++) {
    const { saver, close } = storage.open();
    const graph = reader(saver, isDelta);
    const start = cpuMs();
    const { values } = await graph.getState(thread);
    times.push(cpuMs() - start);
    await close();
    if (textsOf(values).join() !== expected.join())
      throw new Error("The thread came back with other messages");
  }
  return Math.min(...times);
}
