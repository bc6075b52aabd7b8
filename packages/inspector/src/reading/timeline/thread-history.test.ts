import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { VfsSaver } from "@palimpsest/checkpoint";
import { foldOf } from "@palimpsest/context";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RefusedModel, writeAudit } from "../../testing/written-audit.js";
import { writeThread } from "../../testing/written-thread.js";
import { parts } from "../../view.js";
import { partOf } from "../part-of.js";
import { readState } from "../read-state.js";
import { ThreadHistory } from "./thread-history.js";

let saver: VfsSaver;
/** Read at once, and read in two parts while the thread grew. */
const histories: ThreadHistory[] = [];
/** What the model was sent at each row. */
const contexts: (readonly BaseMessage[])[] = [];

beforeAll(async () => {
  saver = VfsSaver.inMemory();
  await writeThread(saver, "t", 7);
  const followed = new ThreadHistory(saver, "t");
  await followed.read();
  await writeThread(saver, "t", 5);
  await followed.readOn();
  const whole = new ThreadHistory(saver, "t");
  await whole.read();
  histories.push(whole, followed);
  for (const { id } of whole.rows) contexts.push((await readState(saver, "t", id)).context);
});
afterAll(async () => saver.close());

const idsOf = (messages: readonly BaseMessage[] = []) =>
  messages.filter((message) => foldOf(message) === undefined).map(({ id }) => String(id));

/** Returns the spans of rows whose context holds a message, looking at every row. */
function spansOf(id: string): [number, number][] {
  const spans: [number, number][] = [];
  for (const [at, context] of contexts.entries()) {
    if (!idsOf(context).includes(id)) continue;
    const last = spans.at(-1);
    if (last?.[1] === at - 1) last[1] = at;
    else spans.push([at, at]);
  }
  return spans;
}

const count = (messages: readonly BaseMessage[]) =>
  messages.reduce((total, message) => total + partOf(message).tokens, 0);

describe.each([0, 1])("the history of a thread, read whole (0) or while it grows (1): %i", (which) => {
  const history = () => histories[which]!;

  it("has the same rows", () => {
    expect(history().rows).toHaveLength(48);
    expect(history().rows).toEqual(histories[0]?.rows);
  });

  it("counts the same tokens at each step as a count of every message", () => {
    for (const [at, { tokens, messages }] of history().rows.entries()) {
      const context = contexts[at] ?? [];
      expect(messages).toBe(context.length);
      const sum = context.reduce((total, message) => total + partOf(message).tokens, 0);
      const shown = tokens.reduce((total, part) => total + part, 0) - (tokens[parts.indexOf("system")] ?? 0);
      expect(Math.abs(shown - sum)).toBeLessThanOrEqual(parts.length);
    }
  });

  it("counts the prompt of each call, and the part that each step left unchanged", () => {
    const overhead = history().rows.map(({ tokens }) => tokens[parts.indexOf("system")] ?? 0);
    const replies = history().rows.flatMap(({ calls }) => calls);
    expect(replies.length).toBe(24);
    for (const [at, { calls, unchanged, unchangedTokens }] of history().rows.entries()) {
      const context = contexts[at] ?? [];
      const kept = at === 0 ? 0 : count(context.slice(0, unchanged)) + (overhead[at] ?? 0);
      expect(Math.abs(unchangedTokens - kept)).toBeLessThanOrEqual(1);
      for (const { id, prompt, reply } of calls) {
        const place = context.findIndex((message) => message.id === id);
        expect(Math.abs(prompt - count(context.slice(0, place)) - (overhead[at] ?? 0))).toBeLessThanOrEqual(
          1,
        );
        expect(reply).toBe(count(context.slice(place, place + 1)));
      }
    }
  });

  it("shows each fold at the step that made it, and no other", () => {
    for (const [at, { folds }] of history().rows.entries()) {
      const known = new Set(contexts[at - 1]?.flatMap((message) => foldOf(message)?.id ?? []));
      const made = contexts[at]?.flatMap((message) => foldOf(message)?.id ?? []) ?? [];
      expect(folds.map(({ id }) => id)).toEqual(made.filter((id) => !known.has(id)));
    }
    expect(history().rows.filter(({ folds }) => folds.length > 0).length).toBeGreaterThan(2);
  });

  it("knows the steps at which each message was in the context", () => {
    const all = new Set(contexts.flatMap((context) => idsOf(context)));
    expect(all.size).toBeGreaterThan(20);
    for (const id of all) expect(history().sight(id)).toEqual(spansOf(id));
  });
});

/** Returns the bytes of the heap that are in use. */
function usedHeap(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

it("the history of a thread keeps no text of its messages in memory", async () => {
  const long = VfsSaver.inMemory({ cacheBytes: 1_000 });
  const config = { configurable: { thread_id: "long", checkpoint_ns: "" } };
  for (let step = 0; step < 60; step++) {
    const text = `${step}:${"word_".repeat(100_000)}`;
    const channel_values = { messages: [new HumanMessage({ id: `m${step}`, content: text })] };
    const checkpoint = { ...emptyCheckpoint(), id: uuid6(step), channel_values };
    const versions = { messages: step + 1 };
    const metadata = { source: "loop", step, parents: {} } as const;
    await long.put(config, { ...checkpoint, channel_versions: versions }, metadata, versions);
  }
  const before = usedHeap();
  const history = new ThreadHistory(long, "long");
  await history.read();
  expect(usedHeap() - before).toBeLessThan(5_000_000);
  expect(history.rows).toHaveLength(60);
  expect(history.rows[3]?.label).toMatch(/^user: 3:word_word_/u);
  await long.close();
});

it("a summary that its model refused is an error of the step that went on without it", async () => {
  const refusing = VfsSaver.inMemory();
  await writeAudit(refusing, "t", { turns: 16, model: new RefusedModel({ maxRetries: 0 }) });
  const history = new ThreadHistory(refusing, "t");
  await history.read();
  const failed = history.rows.filter(({ faults }) => faults.some(({ what }) => what === "summary"));
  expect(failed.map(({ folds }) => folds.map(({ kind }) => kind))).toEqual([["summary"], ["summary"]]);
  expect(failed.flatMap(({ faults }) => faults)).toEqual(
    failed.map(() => ({ what: "summary", message: null, text: "429 Too many requests (then: extract)" })),
  );
  await refusing.close();
});
