import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { message, value } from "../testing/arbitraries.js";
import { CachedMessagesSerializer } from "./cached-messages.js";

const plain = new JsonPlusSerializer();

const stored = async (given: unknown) => plain.dumpsTyped(given);
const loaded = async (serializer: JsonPlusSerializer, [type, bytes]: Awaited<ReturnType<typeof stored>>) =>
  serializer.loadsTyped(type, bytes);

it("the serializer of a source revives what LangGraph's does, from its cache as well", async () => {
  const given = fc.oneof(value, fc.array(fc.oneof(value, message), { maxLength: 4 }));
  await fc.assert(
    fc.asyncProperty(given, async (one) => {
      const bytes = await stored(one);
      // LangGraph's reviver loses such a key.
      fc.pre(!new TextDecoder().decode(bytes[1]).includes('"__proto__"'));
      const expected = await loaded(plain, bytes);
      const serializer = new CachedMessagesSerializer();
      for (const _ of ["first", "second"]) {
        const revived = await loaded(serializer, bytes);
        expect(revived).toEqual(expected);
        expect(await stored(revived)).toEqual(await stored(expected));
      }
    }),
  );
});

it("the serializer of a source returns one object for equal messages, and others for those that differ in any field", async () => {
  const serializer = new CachedMessagesSerializer();
  const load = async (...given: readonly unknown[]) =>
    (await loaded(serializer, await stored(given))) as readonly unknown[];
  const [first] = await load(new HumanMessage({ id: "1", content: "One." }));
  const [again, named, twice] = await load(
    new HumanMessage({ id: "1", content: "One." }),
    new HumanMessage({ id: "1", content: "One.", name: "Ada" }),
    new HumanMessage({ id: "1", content: "One." }),
  );
  expect(again).toBe(first);
  expect(twice).toBe(first);
  expect(named).not.toBe(first);
});

it("a change of a message that several checkpoints share throws", async () => {
  const serializer = new CachedMessagesSerializer();
  const call = { id: "c", name: "read_file", args: { path: "/a" } };
  const bytes = await stored(new AIMessage({ content: "", tool_calls: [call] }));
  const shared = (await loaded(serializer, bytes)) as AIMessage;
  expect(() => (shared.content = "Other.")).toThrow(TypeError);
  expect(() => (shared.response_metadata["model"] = "other")).toThrow(TypeError);
  expect(() => ((shared.tool_calls?.[0] ?? call).args["path"] = "/b")).toThrow(TypeError);
});

it("the serializer of a source keeps a key that is named __proto__", async () => {
  const bytes = await stored(JSON.parse('{"__proto__": {"a": 1}}'));
  expect(JSON.stringify(await loaded(new CachedMessagesSerializer(), bytes))).toBe('{"__proto__":{"a":1}}');
});
