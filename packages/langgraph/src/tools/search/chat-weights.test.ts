import type { Passage } from "@palimpsest/recall";
import { expect, it } from "vitest";
import { chatNeighbours, chatWeights } from "./chat-weights.js";

function passage(text: string, path = "/context/history/0001-a.md"): Passage {
  return { thread: "t", path, line: 1, text };
}

const turn = (text: string): Passage => ({ ...passage(text, "/turns/t/0001.md@1"), kind: "turns" });

const user = passage("## 1. human `a`\n\nI moved to Porto.");
const assistant = passage(`## 2. ai \`b\`\n\n${"Here is a long plan for it. ".repeat(40)}`);
const rest = passage("More of the plan. ".repeat(60));

it("the user's words count more in a chat where the assistant's messages are longer, at most five times", () => {
  const padded = passage(user.text.padEnd(assistant.text.length, "."));
  const even = passage(assistant.text.slice(0, padded.text.length));
  const [own = 0, other = 0] = chatWeights([
    padded,
    even,
    rest,
    rest,
    rest,
    rest,
    rest,
    rest,
    rest,
    rest,
    rest,
  ]);
  expect(own / other).toBeCloseTo(5, 5);
});

it("all words count the same in a chat of equally long messages", () => {
  const [own = 0, other = 0] = chatWeights([user, passage(user.text.replace("1. human", "2. ai   "))]);
  expect(own / other).toBeCloseTo(1, 1);
});

it("of two passages of one side the shorter one counts more", () => {
  const [, long = 0, short = 0] = chatWeights([user, assistant, passage("## 3. ai `c`\n\nYes, Porto.")]);
  expect(short).toBeGreaterThan(long);
});

it("a search of the chat itself leaves it a chat", () => {
  const call = passage('## 2. ai `b`\n\nCalls search_history: {"query":"Porto"}');
  const result = passage("## 3. tool search_history `c`\n\nI moved to Porto.");
  expect(new Set(chatWeights([user, assistant, call, result])).size).toBeGreaterThan(1);
});

it("all words count the same in a thread with results or calls", () => {
  const call = passage('## 2. ai `b`\n\nCalls read_file: {"path":"a.ts"}');
  const result = passage("## 3. tool read_file `c`\n\nexport const a = 1;");
  const offloaded = passage("export const a = 1;", "/context/results/a.txt");
  for (const one of [call, result, offloaded]) expect(chatWeights([user, assistant, one])).toEqual([1, 1, 1]);
});

it("neighbours get more of a score in a chat than in a thread with results", () => {
  const offloaded = passage("export const a = 1;", "/context/results/a.txt");
  expect(chatNeighbours([user, assistant])).toBeGreaterThan(chatNeighbours([user, assistant, offloaded]));
});

it("weighs the turns of other threads like a thread, below their titles", () => {
  const [own = 0, other = 0] = chatWeights([
    turn(`# Turn 1, 2026-01-01T00:00:00Z\n\n${user.text}`),
    turn(assistant.text),
  ]);
  expect(own).toBeGreaterThan(other);
});
