import { AIMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { randomUUID } from "node:crypto";
import { VfsSaver, type VfsSaverOptions } from "../src/index.js";
import type { OpenSubject } from "./subjects.js";
import { texts } from "./texts.js";
import type { TextKind } from "./texts.js";

/** Steps that do not count, while V8 compiles the code. */
const warmUp = 20;

/** Returns the median time, in ms, of one step's `putWrites` and `put` on a thread of `count` messages. */
export async function saverShare(open: OpenSubject, count: number, rounds: number): Promise<number> {
  const { saver, finish } = await open();
  const next = texts("random");
  const message = (): BaseMessage => new AIMessage({ content: next(), id: randomUUID() });
  let messages = Array.from({ length: count }, message);
  let config: object = { configurable: { thread_id: "bench", checkpoint_ns: "" } };
  let version = saver.getNextVersion(undefined);
  const times: number[] = [];
  const first = Math.min(warmUp, rounds);
  for (let round = -first; round < rounds; round++) {
    const added = message();
    messages = [...messages, added];
    const seen = version;
    version = saver.getNextVersion(version);
    const checkpoint = {
      v: 4,
      id: uuid6(round),
      ts: new Date().toISOString(),
      channel_values: { messages },
      channel_versions: { messages: version, "branch:to:step": version },
      versions_seen: { __input__: {}, step: { "branch:to:step": seen } },
    };
    const start = performance.now();
    if (round > -first)
      await saver.putWrites(
        config,
        [
          ["messages", [added]],
          ["branch:to:step", null],
        ],
        randomUUID(),
      );
    config = await saver.put(
      config,
      checkpoint,
      { source: "loop", step: round, parents: {} },
      { messages: version, "branch:to:step": version },
    );
    if (round >= 0) times.push(performance.now() - start);
  }
  await finish();
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

const reads = 5;

/** A thread to write and to read. */
export interface ResumedThread {
  /** Messages. */
  readonly count: number;
  readonly kind: TextKind;
  readonly options?: VfsSaverOptions;
}

/** Returns the shortest time of five, in ms, to read a thread of `count` messages from a file. */
export async function resume(path: string, thread: ResumedThread): Promise<number> {
  const { count, options } = thread;
  const config = await writeThread(path, thread);
  const times: number[] = [];
  for (let read = 0; read < reads; read++) {
    const saver = VfsSaver.fromPath(path, options);
    const start = performance.now();
    const tuple = await saver.getTuple(config);
    times.push(performance.now() - start);
    const found = (tuple?.checkpoint.channel_values["messages"] as unknown[] | undefined)?.length;
    if (found !== count) throw new Error(`${found} of ${count} messages came back`);
    await saver.close();
  }
  return Math.min(...times);
}

/** A function of its own, so that its messages are garbage when the thread is read. */
async function writeThread(path: string, { count, kind, options }: ResumedThread): Promise<RunnableConfig> {
  const saver = VfsSaver.fromPath(path, options);
  const next = texts(kind);
  const messages = Array.from({ length: count }, () => new AIMessage({ content: next(), id: randomUUID() }));
  const config = { configurable: { thread_id: "bench", checkpoint_ns: "" } };
  const version = saver.getNextVersion(undefined);
  const checkpoint = {
    v: 4,
    id: uuid6(0),
    ts: new Date().toISOString(),
    channel_values: { messages },
    channel_versions: { messages: version },
    versions_seen: {},
  };
  await saver.put(config, checkpoint, { source: "loop", step: 0, parents: {} }, { messages: version });
  await saver.close();
  return config;
}
