import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  Command,
  interrupt,
  MemorySaver,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
  type BaseCheckpointSaver,
} from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import * as fc from "fast-check";
import { readFileSync, writeFileSync } from "node:fs";
import { serialize } from "node:v8";
import { afterAll, describe, expect, it } from "vitest";
import { json, run } from "../testing/run.js";
import { newPath, removePaths } from "../testing/written-storage.js";

afterAll(removePaths);

const state = new StateSchema({ messages: MessagesValue });
const configOf = (threadId: string) => ({ configurable: { thread_id: threadId } });

/** A graph whose subgraph keeps checkpoints of its own, and that waits for an answer. */
function asking(saver: BaseCheckpointSaver) {
  const inner = new StateGraph(state)
    .addNode("ask", () => ({ messages: [new AIMessage(String(interrupt("Which one?")))] }))
    .addEdge(START, "ask")
    .compile({ checkpointer: true });
  return new StateGraph(state)
    .addNode("inner", inner)
    .addEdge(START, "inner")
    .compile({ checkpointer: saver });
}

/** Leaves each thread waiting for an answer, after as many answers as it has texts but one. */
async function talk(saver: BaseCheckpointSaver, threads: readonly (readonly string[])[]): Promise<void> {
  for (const [index, texts] of threads.entries())
    for (const [turn, text] of texts.entries()) {
      const config = configOf(`thread ${index}`);
      if (turn > 0) await asking(saver).invoke(new Command({ resume: text }), config);
      await asking(saver).invoke({ messages: [new HumanMessage(text)] }, config);
    }
}

type Dump = (saver: MemorySaver) => string | Buffer;
const asBytes: Dump = ({ storage, writes }) => serialize({ storage, writes });
const asJson: Dump = ({ storage, writes }) => JSON.stringify({ storage, writes });

function dumped(saver: MemorySaver, format: Dump): string {
  const path = newPath("threads.dump");
  writeFileSync(path, format(saver));
  return path;
}

/**
 * All tuples as the interface of savers gives them, in one order. A channel without a version was never written: some savers
 * list its default.
 */
async function tuplesOf(saver: BaseCheckpointSaver, threads: number): Promise<object[]> {
  const tuples: { readonly key: string; readonly [part: string]: unknown }[] = [];
  for (let index = 0; index < threads; index++)
    for await (const { config } of saver.list(configOf(`thread ${index}`))) {
      const tuple = await saver.getTuple(config);
      if (tuple === undefined) throw new Error("A listed checkpoint is not there");
      const { checkpoint, metadata, parentConfig, pendingWrites = [] } = tuple;
      const { channel_values: values, ...rest } = checkpoint;
      const { thread_id: thread, checkpoint_ns: space, checkpoint_id: id } = config.configurable ?? {};
      const written = Object.entries(values).filter(([name]) => name in rest.channel_versions);
      const parent: unknown = parentConfig?.configurable?.["checkpoint_id"];
      const writes = pendingWrites.toSorted(([a], [b]) => (a < b ? -1 : 1));
      const contents = plain({ writes, values: Object.fromEntries(written) });
      tuples.push({ key: JSON.stringify([thread, space, id]), ...rest, metadata, parent, ...contents });
    }
  return tuples.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

const plain = (value: object): object => JSON.parse(JSON.stringify(value)) as object;

describe.each<readonly [string, Dump]>([
  ["serialize of node:v8", asBytes],
  ["JSON.stringify", asJson],
])("a dump written with %s", (_, format) => {
  it("is imported equal in every tuple, those of subgraphs and pending writes included, and nothing twice", async () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: "grapheme" }));
    const threads = fc.array(fc.array(text, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(threads, async (texts) => {
        const memory = new MemorySaver();
        await talk(memory, texts);
        const expected = await tuplesOf(memory, texts.length);
        expect(JSON.stringify(expected)).toContain("__interrupt__");
        expect(JSON.stringify(expected)).toContain("inner");
        const [target, dump] = [newPath(), dumped(memory, format)];
        await json("import", target, dump);
        const saver = VfsSaver.fromPath(target);
        expect(await tuplesOf(saver, texts.length)).toEqual(expected);
        await saver.close();
        const again = await json<{ copied: number; present: number }[]>("import", target, dump);
        expect(again.reduce((sum, { copied }) => sum + copied, 0)).toBe(0);
        expect(again.reduce((sum, { present }) => sum + present, 0)).toBe(expected.length);
      }),
      { numRuns: 3 },
    );
  });

  it("goes on in the storage where the process stopped", async () => {
    const memory = new MemorySaver();
    await talk(memory, [["one"]]);
    const target = newPath();
    await json("import", target, dumped(memory, format), "thread 0");
    const saver = VfsSaver.fromPath(target);
    const { messages } = await asking(saver).invoke(
      new Command({ resume: "the first" }),
      configOf("thread 0"),
    );
    await saver.close();
    expect(messages.map((message) => message.text)).toEqual(["one", "the first"]);
  });
});

describe("a file that is not a dump", () => {
  it.each<readonly [string, string | Buffer, RegExp]>([
    ["text", "storage: {}", /is not valid JSON/u],
    ["a list", "[]", /storage is missing/u],
    ["a dump without writes", '{"storage": {}}', /writes is missing/u],
    ["a thread that is a text", '{"storage": {"a": "b"}, "writes": {}}', /storage of "a" is not an object/u],
    [
      "a checkpoint that is a text",
      '{"storage": {"a": {"": {"1": ["x", {}]}}}, "writes": {}}',
      /of "a" of "" of "1" is not an object/u,
    ],
    [
      "a value that is not bytes",
      '{"storage": {"a": {"": {"1": [{"0": 256}, {}]}}}, "writes": {}}',
      /is not bytes/u,
    ],
    [
      "a dump that ends early",
      serialize({ storage: {}, writes: {} }).subarray(0, 9),
      /Unable to deserialize/u,
    ],
  ])("is refused with one line: %s", async (_, content, reason) => {
    const source = newPath("threads.dump");
    writeFileSync(source, content);
    const { code, err } = await run("import", newPath(), source);
    expect(code).toBe(1);
    expect(err).toMatch(/^palimpsest: .*is neither the file of a SqliteSaver nor a dump of a MemorySaver: /u);
    expect(err).toMatch(reason);
    expect(err.trimEnd()).not.toContain("\n");
  });

  it("stays as it is when threads are exported to it", async () => {
    const memory = new MemorySaver();
    await talk(memory, [["one"]]);
    const [storage, source] = [newPath(), dumped(memory, asJson)];
    await json("import", storage, source);
    const before = readFileSync(source);
    expect((await run("export", storage, "--saver", source)).code).toBe(1);
    expect(readFileSync(source)).toEqual(before);
  });
});
