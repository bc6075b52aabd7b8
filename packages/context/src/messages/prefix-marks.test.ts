import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { historyArbitrary, talk } from "../testing/index.js";
import { changedFrom, withMark, type PrefixMark } from "./prefix-marks.js";
import { isAi } from "./tool-calls.js";
import { fromStoredMessage, toStoredMessage, type StoredMessage } from "./stored-message.js";

/** Returns the messages as new objects, as after they were stored and read. */
function stored(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const text = JSON.stringify(messages.map((message) => toStoredMessage(message)));
  return (JSON.parse(text) as StoredMessage[]).map(fromStoredMessage);
}

/** Marks a thread before every reply, as a node marks it at every step, and once more as it is. */
function marked(messages: readonly BaseMessage[]): readonly PrefixMark[] {
  const sent = messages.flatMap((message, index) => (isAi(message) ? [index] : []));
  return [...sent, messages.length].reduce<readonly PrefixMark[]>(
    (marks, count) => withMark(messages.slice(0, count), marks),
    [],
  );
}

/** A thread in which the user and the model take turns. */
const thread = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? talk.human(`m${index}`, `Text ${index}`) : talk.ai(`m${index}`, `Reply ${index}`),
  );

const cached = (text: string, block: object) =>
  new HumanMessage({ content: [{ type: "text", text, ...block }], additional_kwargs: { note: 1 } });

describe("the marks of a prefix", () => {
  it("hold for every thread that grows, also after it was stored and read", () => {
    fc.assert(
      fc.property(historyArbitrary({ maxTurns: 3 }), fc.nat(), (history, seed) => {
        const known = history.slice(0, 1 + (seed % Math.max(1, history.length)));
        expect(changedFrom(history, marked(known))).toBeUndefined();
        expect(changedFrom(stored(history), marked(known))).toBeUndefined();
      }),
    );
  });

  it("tell how much stayed the same where a message was changed, removed or added, and never too much", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 200 }),
        fc.nat(),
        fc.constantFrom("changed", "removed", "added"),
        (length, seed, edit) => {
          const index = seed % (length - 1);
          const messages = thread(length);
          const other = talk.human("x", "Other words");
          const edited =
            edit === "changed"
              ? messages.with(index, other)
              : messages.toSpliced(index, edit === "removed" ? 1 : 0, ...(edit === "added" ? [other] : []));
          const from = changedFrom(edited, marked(messages)) ?? Infinity;
          expect(from).toBeLessThanOrEqual(index);
          expect(length - from).toBeLessThanOrEqual(4 * (length - index) + 2);
        },
      ),
    );
  });

  it("keep every reply before messages that were changed or removed near the end", () => {
    const messages = thread(41);
    const marks = marked(messages);
    expect(changedFrom(messages.slice(0, 38), marks)).toBe(38);
    expect(changedFrom(messages.slice(0, 39), marks)).toBe(38);
    expect(changedFrom(messages.with(40, talk.human("m40", "Other words")), marks)).toBe(40);
  });

  it("grow in number with the logarithm of the messages", () => {
    expect(marked(thread(200)).length).toBeLessThan(32);
    expect(marked(thread(2_000)).length).toBeLessThan(45);
  });

  it("do not count ids, metadata and moved cache breakpoints as a change", () => {
    const before = [cached("One", { cache_control: { type: "ephemeral" } }), cached("Two", {})];
    const after = [new HumanMessage("One"), cached("Two", { cache_control: { type: "ephemeral" } })];
    expect(changedFrom(after, marked(before))).toBeUndefined();
  });

  it.each([
    ["another text", new HumanMessage("One"), new HumanMessage("Two")],
    ["another lone surrogate", new HumanMessage("\ud800"), new HumanMessage("\ud801")],
    ["a text in place of a lone surrogate", new HumanMessage("\ud800"), new HumanMessage("\ufffd")],
    ["another role", new HumanMessage("One"), new AIMessage("One")],
    ["a field beside a text", cached("One", {}), cached("One", { citations: [] })],
    [
      "a second block",
      cached("One", {}),
      new HumanMessage({
        content: [
          { type: "text", text: "One" },
          { type: "text", text: "" },
        ],
      }),
    ],
    ["a name", new HumanMessage("One"), new HumanMessage({ content: "One", name: "user" })],
  ])("count %s as a change", (_, before, after) => {
    expect(changedFrom([after], withMark([before], []))).toBe(0);
    expect(changedFrom([before], withMark([after], []))).toBe(0);
  });

  it("are the same for a text and for its only block", () => {
    expect(withMark([cached("One", {})], [])).toEqual(withMark([new HumanMessage("One")], []));
  });

  it("count a list as changed that a host changes in place", () => {
    const list = [new HumanMessage("One"), new AIMessage("Two")];
    const marks = withMark(list, []);
    list[0] = new HumanMessage("Another");
    expect(changedFrom(list, marks)).toBe(0);
  });
});
