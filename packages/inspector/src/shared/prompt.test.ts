import { expect, it } from "vitest";
import { promptDifferences, promptIn, promptView } from "./prompt.js";

const textOf = (systemPrompt: string, tools: readonly unknown[]): string =>
  JSON.stringify({ systemPrompt, tools });
const look = { name: "look", description: "Looks.", parameters: { type: "object" } };

it("a prompt is read with its tools, those of a provider too", () => {
  const text = textOf("You audit.", [look, { type: "web_search", limit: 3 }, "odd"]);
  expect(promptIn(text)?.tools.map(({ name, description }) => [name, description])).toEqual([
    ["look", "Looks."],
    ["web_search", ""],
    ["tool", ""],
  ]);
  expect(promptIn(text)?.tools[1]?.schema).toContain('"limit": 3');
  expect(promptView("/context/prompts/a.json", text)).toEqual({
    path: "/context/prompts/a.json",
    characters: 10,
    tools: 3,
  });
});

it.each(["", "{", "[]", "null", '{"systemPrompt":1,"tools":[]}'])("%j is no prompt", (text) => {
  expect(promptIn(text)).toBeUndefined();
  expect(promptView("", text)).toBeNull();
});

it("says what changed between two calls in the system prompt and in the tools", () => {
  const before = textOf("You audit.", [look, { ...look, name: "old" }]);
  const after = textOf("You audit twice.", [
    { ...look, parameters: { type: "object", properties: {} } },
    { ...look, name: "new", description: "Is new." },
  ]);
  expect(promptDifferences(before, before)).toEqual([]);
  expect(promptDifferences("", textOf("You audit.", []))).toMatchObject([{ change: "added" }]);
  expect(promptDifferences(before, after)).toEqual([
    { change: "changed", what: "system prompt", name: "", text: "You audit twice." },
    { change: "removed", what: "tool", name: "old", text: "Looks." },
    { change: "changed", what: "tool", name: "look", text: "Looks." },
    { change: "added", what: "tool", name: "new", text: "Is new." },
  ]);
});
