import type { Passage } from "@palimpsest/recall";
import { expect, it } from "vitest";
import { chatWeights } from "./chat-weights.js";

function passage(text: string, path = "/context/history/0001-a.md"): Passage {
  return { thread: "t", path, line: 1, text };
}

const user = passage("## 1. human `a`\n\nI moved to Porto.");
const assistant = passage(`## 2. ai \`b\`\n\n${"Here is a long plan for it. ".repeat(40)}`);
const rest = passage("More of the plan. ".repeat(60));

it("the user's words count more in a chat where the assistant's messages are longer, at most three times", () => {
  const [own = 0, ...others] = chatWeights([user, assistant, rest]);
  expect(own).toBe(3);
  expect(others).toEqual([1, 1]);
});

it("all words count the same in a chat of equally long messages", () => {
  const [own = 0, other = 0] = chatWeights([user, passage("## 2. ai `bb`\n\nI moved to Lyon.")]);
  expect(own / other).toBeCloseTo(1, 1);
});

it("all words count the same in a thread with results or calls", () => {
  const call = passage('## 2. ai `b`\n\nCalls read_file: {"path":"a.ts"}');
  const result = passage("## 3. tool read_file `c`\n\nexport const a = 1;");
  const offloaded = passage("export const a = 1;", "/context/results/a.txt");
  for (const one of [call, result, offloaded]) expect(chatWeights([user, assistant, one])).toEqual([1, 1, 1]);
});
