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
  /** `put` and `putWrites` of a step, mean of all steps: snapshots of delta channels are rare and large. */
  readonly putMs: number;
  /** CPU time of the run, for a step. */
  readonly stepCpuMs: number;
  /** Reading the newest state back with a new saver, the shortest of five. */
  readonly getMs: number;
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
    const { putMs, runCpuMs } = await write(rival, storage, messages);
    const expected = messages.map((message) => message.content);
    const getMs = await read(rival, storage, expected);
    const bytes = storage.bytes();
    const contentBytes = expected.reduce((sum, text) => sum + text.length, 0);
    return {
      rival: rival.name,
      content,
      steps,
      bytes,
      bytesPerStep: bytes / steps,
      factor: bytes / contentBytes,
      putMs: putMs / steps,
      stepCpuMs: runCpuMs / steps,
      getMs,
    };
  } finally {
    storage.remove();
  }
}

async function write(
  { isDelta }: Rival,
  storage: Storage,
  messages: Script["messages"],
): Promise<{ readonly putMs: number; readonly runCpuMs: number }> {
  const { saver, close } = storage.open();
  const spent = timePuts(saver);
  let at = 0;
  const graph = chat({
    saver,
    isDelta,
    next: () => new AIMessage({ ...messages[at++] }),
    goesOn: () => at < messages.length,
  });
  const start = process.cpuUsage();
  await graph.invoke({ messages: [] }, run);
  const { user, system } = process.cpuUsage(start);
  const runCpuMs = (user + system) / 1000;
  await close();
  return { putMs: spent(), runCpuMs };
}

/** Measures from here on how long calls that write are under way: what two calls do at the same time counts once. */
function timePuts(saver: BaseCheckpointSaver): () => number {
  let [spent, open, since] = [0, 0, 0];
  const timed =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (open++ === 0) since = performance.now();
      try {
        return await call(...args);
      } finally {
        if (--open === 0) spent += performance.now() - since;
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
    const start = performance.now();
    const { values } = await graph.getState(thread);
    times.push(performance.now() - start);
    await close();
    if (textsOf(values).join() !== expected.join())
      throw new Error("The thread came back with other messages");
  }
  return Math.min(...times);
}
