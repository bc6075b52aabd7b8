import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import * as fc from "fast-check";

/** Prototypes do not survive any serializer. */
const plain = { noNullPrototype: true };

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }).filter((s) => s.isWellFormed()),
  fc.integer({ min: 500, max: 3000 }).map((length) => "lorem ipsum ".repeat(300).slice(0, length)),
);

/** Values that JSON restores exactly. */
const json = fc.jsonValue({ maxDepth: 3 }).map((value): unknown => JSON.parse(JSON.stringify(value)));

const id = fc.oneof(fc.uuid(), fc.string());

/** Optional fields are absent, not undefined, as in messages of providers. */
const optional = { ...plain, requiredKeys: ["content"] as ["content"] };
const args = fc.dictionary(fc.string(), json, { ...plain, maxKeys: 3 });
const call = fc.record(
  { name: fc.string(), args, id: fc.string(), type: fc.constant("tool_call" as const) },
  plain,
);
const block = fc.oneof(
  text.map((value) => ({ type: "text", text: value })),
  fc.record({ type: fc.constant("image_url"), image_url: fc.record({ url: text }, plain) }, plain),
  fc.record({ type: fc.constant("thinking"), thinking: text, signature: fc.string() }, plain),
);
const content = fc.oneof(text, fc.array(block, { maxLength: 3 }));
const usage = fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat(), total_tokens: fc.nat() }, plain);
const additional = fc.dictionary(fc.constantFrom("a", "b", "reasoning_content"), json, {
  ...plain,
  maxKeys: 2,
});

/** Messages of every class that LangGraph stores. */
export const message = fc.oneof(
  fc.record({ content, id, name: fc.string() }, optional).map((f) => new HumanMessage(f as never)),
  fc.record({ content, id }, optional).map((f) => new SystemMessage(f as never)),
  fc
    .record(
      {
        content,
        id,
        tool_calls: fc.array(call, { maxLength: 2 }),
        usage_metadata: usage,
        response_metadata: args,
        additional_kwargs: additional,
      },
      optional,
    )
    .map((f) => new AIMessage(f as never)),
  fc.record({ content: text, id }, optional).map((f) => new AIMessageChunk(f as never)),
  fc
    .record(
      {
        content,
        id,
        tool_call_id: fc.string(),
        name: fc.string(),
        artifact: json,
        status: fc.constantFrom("success", "error"),
      },
      plain,
    )
    .map((f) => new ToolMessage(f as never)),
  fc.uuid().map((value) => new RemoveMessage({ id: value })),
);

/** User data that resembles the codec's own output. */
export const lookAlike = fc.oneof(
  fc.record({ "@": fc.constantFrom("u", "m", "mAAAAAAAAAAAAAAAAAAAAAA", "L", "o", "s") }, plain),
  fc.record(
    { "@": fc.constant("L"), n: fc.nat(), v: fc.constant([]), u: fc.constant("lAAAAAAAAAAAAAAAAAAAAAA") },
    plain,
  ),
  fc.constant("mAAAAAAAAAAAAAAAAAAAAAA"),
  fc.constant("=x"),
  fc.constant({
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", "HumanMessage"],
    kwargs: { content: "x" },
  }),
  fc.constant({ lc: 2, type: "undefined" }),
  fc.constant({ __lc_escaped__: { lc: 1 } }),
  fc.constant(JSON.parse('{"__proto__": 1, "constructor": 2}')),
);

const leaf = fc.oneof(
  text,
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, undefined, -0, Number.NaN, Infinity),
  fc.bigInt(),
  fc.date(),
  fc.uint8Array({ maxLength: 2000 }),
  fc.constant(/a+/giu),
  lookAlike,
  message,
);

/** Any value that a state may contain. */
export const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { arbitrary: leaf, weight: 4 },
    { arbitrary: fc.array(tie("value"), { maxLength: 40 }), weight: 2 },
    {
      arbitrary: fc.dictionary(
        fc.oneof(fc.string(), fc.constantFrom("@", "__proto__", "toString")),
        tie("value"),
        plain,
      ),
      weight: 2,
    },
    {
      arbitrary: fc
        .array(fc.tuple(fc.string(), tie("value")), { maxLength: 4 })
        .map((entries) => new Map(entries)),
      weight: 1,
    },
    { arbitrary: fc.array(tie("value"), { maxLength: 4 }).map((items) => new Set(items)), weight: 1 },
  ),
})).value;
