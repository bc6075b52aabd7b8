import { expect, it } from "vitest";
import { facts } from "./facts.js";
import { makeHistory, type AskedFor } from "./made-history.js";
import { factsSeen } from "./measure-facts.js";

const stated = [
  { text: "111111", at: 0 },
  { text: "222222", at: 4 },
];

function look(text: string, kind: AskedFor, now = 9) {
  return factsSeen([{ text: "?", phrase: "it is", kind, facts: stated }], { context: text }, now);
}

it("an old value in sight counts as stale only without its successor", () => {
  const newest = "the newest value";
  expect(look("it is 111111", newest)).toMatchObject([{ isStale: true, share: 0 }]);
  expect(look("it is 111111, no, 222222", newest)).toMatchObject([{ isStale: false, share: 1 }]);
  expect(look("nothing", newest)).toMatchObject([{ isStale: false, share: 0 }]);
  expect(look("it is 111111", newest, 3)).toEqual([]);
});

it("events in sight are whole only in their order", () => {
  expect(look("111111 then 222222", "the order of events")).toMatchObject([{ isWhole: true }]);
  expect(look("222222 after 111111", "the order of events")).toMatchObject([{ isWhole: false, share: 1 }]);
});

it("events that a tool answers stand where the context names their file, else before the context", () => {
  const question = { text: "?", phrase: "it is", kind: "the order of events", facts: stated } as const;
  const isWhole = (context: string, answer: string) =>
    factsSeen([question], { context, answer }, 9).map((seen) => seen.isWhole);
  expect(isWhole("222222", "111111")).toEqual([true]);
  expect(isWhole("222222, not 111111", "111111")).toEqual([true]);
  expect(isWhole("111111", "222222")).toEqual([false]);
  expect(isWhole("111111, then 222222", "222222, 111111")).toEqual([false]);
  expect(isWhole("111111, then see /a.txt", "/a.txt:1: 222222")).toEqual([true]);
  expect(isWhole("see /a.txt, then 222222", "/a.txt:1: 111111")).toEqual([true]);
  expect(isWhole("222222, see /a.txt", "/a.txt:1: 111111")).toEqual([false]);
});

it("a generated history asks about superseded values, topics and events", () => {
  const { messages, questions } = makeHistory(1, 6);
  expect(new Set(questions.map(({ kind }) => kind)).size).toBe(3);
  const said = messages.map(({ text }) => text);
  const facts = questions.flatMap((question) => question.facts);
  expect(facts.length).toBeGreaterThan(40);
  expect(facts.every(({ text, at }) => said[at]?.includes(text) === true)).toBe(true);
});

it("one grep finds nearly every newest value again", async () => {
  const result = await facts({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(10);
});
