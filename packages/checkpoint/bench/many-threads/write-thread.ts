import { randomUUID } from "node:crypto";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { uuid6 } from "@langchain/langgraph-checkpoint";

/** A short thread: each step adds a message of some 200 characters. */
export class WrittenThread {
  readonly #saver: BaseCheckpointSaver;
  readonly #threadId: string;
  readonly #messages: BaseMessage[] = [];
  #config: object;
  #version: number | string;

  constructor(saver: BaseCheckpointSaver, threadId: string) {
    this.#saver = saver;
    this.#threadId = threadId;
    this.#config = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
    this.#version = saver.getNextVersion(undefined);
  }

  /** How many steps were taken. */
  get steps(): number {
    return this.#messages.length;
  }

  /** Takes a step, and returns the milliseconds of its `put`. */
  async step(): Promise<number> {
    const step = this.steps;
    const content = `${this.#threadId} says at step ${step} what no other thread says. `.repeat(4);
    const fields = { id: randomUUID(), content };
    this.#messages.push(step % 2 === 0 ? new HumanMessage(fields) : new AIMessage(fields));
    this.#version = this.#saver.getNextVersion(this.#version as number);
    const checkpoint = {
      v: 4,
      id: uuid6(step),
      ts: new Date().toISOString(),
      channel_values: { messages: [...this.#messages] },
      channel_versions: { messages: this.#version },
      versions_seen: {},
    };
    const user = this.#threadId.split("/")[0] ?? "";
    const metadata = { source: "loop" as const, step, parents: {}, user };
    const versions = { messages: this.#version };
    const start = performance.now();
    this.#config = await this.#saver.put(this.#config, checkpoint, metadata, versions);
    return performance.now() - start;
  }
}

/** Writes a thread, and returns the milliseconds of each `put`. */
export async function writeThread(
  saver: BaseCheckpointSaver,
  threadId: string,
  steps: number,
): Promise<readonly number[]> {
  const thread = new WrittenThread(saver, threadId);
  const times: number[] = [];
  while (thread.steps < steps) times.push(await thread.step());
  return times;
}
