import { AIMessage, AIMessageChunk, ChatMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Serializable } from "@langchain/core/load/serializable";
import { DeltaSnapshot, JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lookAlike, message, value } from "../testing/arbitraries.js";
import { CodecBench } from "../testing/round-trip.js";

const serde = new JsonPlusSerializer();
const numbered = (count: number): HumanMessage[] =>
  Array.from(
    { length: count },
    (_, index) => new HumanMessage({ content: `message ${index}`, id: `${index}` }),
  );

function nested(levels: number): unknown {
  let given: unknown = "end";
  for (let level = 0; level < levels; level++) given = level % 2 ? { given } : [given];
  return given;
}

function itself(this: object): object {
  return this;
}

describe("the codec", () => {
  it("restores any value exactly", async () => {
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        expect(await new CodecBench().roundTrip(given)).toStrictEqual(given);
      }),
      { numRuns: 300 },
    );
  });

  it("restores a message as LangGraph's serializer does, with its id", async () => {
    await fc.assert(
      fc.asyncProperty(message, async (given) => {
        const [type, bytes] = await serde.dumpsTyped(given);
        const expected = await serde.loadsTyped(type, bytes);
        const actual = await new CodecBench().roundTrip(given);
        expect(actual).toStrictEqual(expected);
        expect(Object.getPrototypeOf(actual)).toBe(Object.getPrototypeOf(expected));
      }),
      { numRuns: 300 },
    );
  });

  it.each(["DeltaSnapshot", "Send"])("restores data with the fields of a %s as data", async (name) => {
    const data = { lg_name: name, value: [1], node: "n", args: {}, more: "kept" };
    const back = await new CodecBench().roundTrip(data);
    expect(back).toStrictEqual(data);
    expect(await new CodecBench().roundTrip(new DeltaSnapshot([1]))).toStrictEqual(new DeltaSnapshot([1]));
  });

  it("restores a value 1,000 levels deep, and refuses one that is too deep for the stack", async () => {
    const back = await new CodecBench().roundTrip(nested(1000));
    expect(JSON.stringify(back)).toBe(JSON.stringify(nested(1000)));
    expect(() => new CodecBench().encode(nested(200_000))).toThrow(
      expect.objectContaining({ code: "unsupported", message: expect.stringContaining("too deeply") }),
    );
  });

  it.each([3, 30])("restores the holes of an array of %d items as undefined", async (length) => {
    const holes: unknown[] = [];
    holes[1] = "item";
    holes.length = length;
    expect(await new CodecBench().roundTrip(holes)).toStrictEqual([...holes]);
  });

  it("keeps the order and the keys of a record of any size", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.string(), { maxLength: 300 }), async (keys) => {
        const record = Object.fromEntries(keys.map((key, index) => [key, { index }]));
        const back = await new CodecBench().roundTrip(record);
        expect(back).toStrictEqual(record);
        expect(Object.keys(back as object)).toEqual(Object.keys(record));
      }),
    );
  });

  it("never mistakes user data for a reference, wherever it is", async () => {
    await fc.assert(
      fc.asyncProperty(lookAlike, async (given) => {
        const forms = [
          given,
          { given },
          [given],
          Array(20).fill(given),
          new Map([["k", given]]),
          ["k", given],
        ];
        const records = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`k${index}`, given]));
        expect(await new CodecBench().roundTrip([...forms, records])).toStrictEqual([...forms, records]);
      }),
    );
  });

  it("restores snapshots of delta channels, and one object for what was one object", async () => {
    const messages = numbered(100);
    const sends = [1, 2].map((call) => ({ node: "tools", args: { messages, call } }));
    const back = (await new CodecBench().roundTrip({ sends, snapshot: new DeltaSnapshot(messages) })) as {
      sends: { args: { messages: unknown[] } }[];
      snapshot: DeltaSnapshot<unknown[]>;
    };
    expect(back.snapshot).toBeInstanceOf(DeltaSnapshot);
    expect(back.snapshot.value).toEqual(messages);
    expect(back.sends[1]?.args.messages).toBe(back.sends[0]?.args.messages);
    expect(back.snapshot.value[0]).toBe(back.sends[0]?.args.messages[0]);
  });

  it("restores a list that contains a list with the same beginning", async () => {
    const [first, ...others] = numbered(30);
    const given = [
      first,
      ...others.slice(0, 20),
      [first, ...others.slice(0, 25)],
      { deep: [first, ...others] },
    ];
    expect(await new CodecBench().roundTrip(given)).toEqual(given);
  });

  it("restores a lone surrogate in a text of any length, and in a message", async () => {
    const texts = ["\uD800", `${"x".repeat(600)}\uDC00`, `two\nlines \uD83D`];
    const given = [...texts, ...texts.map((content) => new HumanMessage({ content, id: "h" }))];
    expect(await new CodecBench().roundTrip(given)).toEqual(given);
  });

  it("restores typed arrays and buffers of any size", async () => {
    const numbers = Array.from({ length: 400 }, (_, index) => index / 3);
    const bytes = Uint8Array.from({ length: 4000 }, (_, index) => index);
    const short = [Float32Array.of(1.5, -0), BigInt64Array.of(-1n), Int16Array.of(-2), new ArrayBuffer(8)];
    const given = [...short, new DataView(bytes.buffer, 8, 16), Float64Array.from(numbers), bytes.buffer];
    const back = (await new CodecBench().roundTrip(given)) as unknown[];
    expect(back.slice(0, 4)).toStrictEqual(short);
    expect(new Uint8Array((back[4] as DataView).buffer)).toEqual(bytes.slice(8, 24));
    expect(back.slice(5)).toStrictEqual(given.slice(5));
    const middle = new Float32Array(Float32Array.from(numbers).buffer, 40, 3);
    expect(await new CodecBench().roundTrip(middle)).toStrictEqual(Float32Array.from(middle));
  });

  it("restores a message of a class of the host as LangChain's class of its type, with every field", async () => {
    class Note extends HumanMessage {}
    class Elsewhere extends AIMessage {
      override lc_namespace = ["host"];
    }
    const given: readonly [HumanMessage, HumanMessage, AIMessage] = [
      new Note({ content: "hi", id: "1" }),
      new Note({ content: "hi", id: "2", extra: { deep: 1 } } as never),
      new Elsewhere({ content: "", id: "3", tool_calls: [{ name: "t", args: { a: 1 }, id: "c" }] }),
    ];
    const back = (await new CodecBench().roundTrip(given)) as (HumanMessage | AIMessage)[];
    expect(back.map((one) => [one.getType(), one.id])).toEqual([
      ["human", "1"],
      ["human", "2"],
      ["ai", "3"],
    ]);
    expect(back[1]?.lc_kwargs).toMatchObject({ content: "hi", extra: { deep: 1 } });
    expect((back[2] as AIMessage).tool_calls).toEqual(given[2]?.tool_calls);
  });

  it("restores a serializable value of a class of the host as its fields", async () => {
    class Setting extends Serializable {
      override lc_serializable = true;
      override lc_namespace = ["host"];
    }
    const given = { setting: new Setting({ level: 3, tags: ["a"] }) };
    const back = await new CodecBench().roundTrip(given);
    expect(back).toEqual({ setting: { level: 3, tags: ["a"] } });
  });

  it.each([
    ["boxed values", { text: Object("a"), number: Object(1), truth: Object(false) }],
    [
      "an object that is its own JSON",
      Object.assign(Object.create({ toJSON: itself }), { kept: [1, { two: 2 }] }),
    ],
  ])("restores %s as JSON does", async (_, value: object) => {
    expect(await new CodecBench().roundTrip({ value })).toEqual(JSON.parse(JSON.stringify({ value })));
  });

  it("replaces a cycle as LangGraph's serializer does", async () => {
    const cyclic: { self?: unknown; list: unknown[] } = { list: [] };
    cyclic.self = cyclic;
    cyclic.list.push(cyclic.list);
    expect(await new CodecBench().roundTrip(cyclic)).toEqual({ self: "[Circular]", list: ["[Circular]"] });
  });
});

describe("encoding a list of messages", () => {
  it("stores as many bytes for the 2,000th message as for the 100th", () => {
    const bench = new CodecBench();
    let messages: HumanMessage[] = [];
    const costs: number[] = [];
    for (let step = 0; step < 2000; step++) {
      messages = [...messages, new HumanMessage({ content: `message ${step}`, id: `${step}` })];
      const before = bench.size;
      costs.push(JSON.stringify(bench.encode(messages)).length + bench.size - before);
    }
    const average = (from: number): number => costs.slice(from, from + 100).reduce((a, b) => a + b, 0) / 100;
    expect(average(1900)).toBeLessThan(average(100) * 1.5);
  });

  it("does not change what was encoded before when the list grows", () => {
    const { encoder } = new CodecBench();
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const { result } = encoder.collect(() => encoder.encode(numbers));
    const before = JSON.stringify(result);
    encoder.collect(() => encoder.encode([...numbers, 20]));
    numbers.push(21);
    encoder.collect(() => encoder.encode(numbers));
    expect(JSON.stringify(result)).toBe(before);
  });

  it("stores a message that was changed in place in its present form", async () => {
    const bench = new CodecBench();
    const messages = [...numbered(40), new AIMessage({ content: [{ type: "text", text: "a" }], id: "ai" })];
    bench.encode(messages);
    const [first, last] = [messages[3], messages[40]];
    if (first) first.content = "changed";
    if (last) Object.assign(last.content[0] ?? {}, { text: "b" });
    if (last) last.additional_kwargs["note"] = { deep: 1 };
    const changed = (await bench.roundTrip([...messages])) as AIMessage[];
    expect(changed.map(({ content }) => content)).toEqual(messages.map(({ content }) => content));
    expect(changed[40]?.additional_kwargs).toEqual({ note: { deep: 1 } });
    if (last)
      last.additional_kwargs["note"] = Object.assign(last.additional_kwargs["note"] as object, { deep: 2 });
    const back = (await bench.roundTrip([...messages])) as AIMessage[];
    expect(back[40]?.additional_kwargs).toEqual({ note: { deep: 2 } });
  });

  it.each([
    [new ToolMessage({ content: "a", tool_call_id: "t", metadata: { page: 1 } }), { metadata: { page: 2 } }],
    [new ChatMessage({ content: "a", role: "critic" }), { role: "judge" }],
    [
      new AIMessageChunk({ content: "", tool_call_chunks: [{ index: 0 }] }),
      { tool_call_chunks: [{ index: 1 }] },
    ],
  ])("stores a field of %o that was replaced in place", async (given, changes) => {
    const bench = new CodecBench();
    const messages = [...numbered(20), given];
    bench.encode(messages);
    Object.assign(given, changes);
    const back = (await bench.roundTrip([...messages])) as object[];
    expect(back.at(-1)).toMatchObject(changes);
  });

  it("stores a change in place among parts that contain each other", async () => {
    const bench = new CodecBench();
    const parts: Record<string, unknown> = { note: 1 };
    Object.assign(parts, { same: parts, other: [parts, parts] });
    const values = Array.from({ length: 20 }, (_, index) => (index === 3 ? { parts } : { index }));
    bench.encode(values);
    parts["note"] = 2;
    expect((await bench.roundTrip([...values])) as object[]).toMatchObject({ 3: { parts: { note: 2 } } });
  });

  it("stores few new pages when the first messages are removed", () => {
    const bench = new CodecBench();
    const messages = numbered(2000);
    bench.encode(messages);
    const before = bench.size;
    bench.encode(messages.slice(7));
    expect(bench.size - before).toBeLessThan(before / 20);
  });

  it("stores nothing for a list that was read before", async () => {
    const bench = new CodecBench();
    const node = bench.encode(numbered(500));
    const { encoder } = new CodecBench();
    const read = (await bench.decode(node, encoder)) as HumanMessage[];
    const { result, blobs } = encoder.collect(() => encoder.encode([...read]));
    expect(blobs.size).toBe(0);
    expect(result).toEqual(node);
  });

  it("stores no blob for an id that LangGraph assigns in place", async () => {
    const bench = new CodecBench();
    const message = new AIMessage({ content: "x".repeat(600), tool_calls: [] });
    bench.encode([message]);
    message.id = "given";
    message.lc_kwargs["id"] = "given";
    const { result, blobs } = bench.encoder.collect(() => bench.encoder.encode([message]));
    expect(blobs.size).toBe(0);
    expect(await bench.decode(result)).toEqual([message]);
    message.content = "changed";
    message.id = "given again";
    expect(await bench.roundTrip([message])).toMatchObject([{ content: "changed", id: "given again" }]);
  });

  it("stores one blob for one content under many ids", () => {
    const bench = new CodecBench();
    bench.encode(
      ["a", "b", "c"].map((id) => new ToolMessage({ content: "x".repeat(5000), tool_call_id: "t", id })),
    );
    expect(bench.blobs.size).toBe(1);
  });
});
