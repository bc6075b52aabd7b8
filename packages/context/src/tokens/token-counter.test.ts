import { describe, expect, it } from "vitest";
import { z } from "zod";
import { talk } from "../testing/index.js";
import { tokenCounterFrom } from "./token-counter.js";
import { toolSchemaText } from "./tool-schema-text.js";

it("a call costs more than its name and its arguments: what encloses it and its result is billed as well", () => {
  const count = tokenCounterFrom((text) => text.length);
  const [none, one, two] = [{}, { a: ["ls"] }, { a: ["ls"], b: ["ls"] }].map((calls) =>
    count([talk.calls("c", calls as Parameters<typeof talk.calls>[1])]),
  ) as [number, number, number];
  expect(one - none).toBeGreaterThan(4 * "ls{}".length);
  expect(two - one).toBe(one - none);
});

it("a tool is counted once, and again after a change of one of its fields", () => {
  const counted: string[] = [];
  const count = tokenCounterFrom((text) => counted.push(text) && text.length);
  const ls = { name: "ls", description: "Lists.", schema: { type: "object" } };
  const before = [count([], { tools: [ls] }), count([], { tools: [ls] })];
  ls.description = "Lists files.";
  const after = [count([], { tools: [ls] }), count([], { tools: [ls] })];
  expect(before[1]).toBe(before[0]);
  expect(after).toEqual([before[0]! + " files".length, before[0]! + " files".length]);
  expect(counted).toHaveLength(2);
});

describe("toolSchemaText", () => {
  it("converts a zod schema to the JSON schema that the provider receives", () => {
    const text = toolSchemaText({
      name: "ls",
      description: "Lists.",
      schema: z.object({ path: z.string() }),
    });
    expect(JSON.parse(text)).toMatchObject({
      name: "ls",
      description: "Lists.",
      parameters: { type: "object", properties: { path: { type: "string" } } },
    });
  });

  it("passes other schemas through, and never throws", () => {
    const schema = { type: "object" };
    expect(toolSchemaText({ name: "ls", schema })).toBe(JSON.stringify({ name: "ls", parameters: schema }));
    expect(toolSchemaText({ type: "function", function: { name: "ls" } })).toContain('"function"');
    expect([undefined, null, 7, "ls"].map(toolSchemaText)).toEqual(["undefined", "null", "7", "ls"]);
    const odd = { name: "ls", schema: z.object({ at: z.date().transform(String) }) };
    expect(toolSchemaText(odd)).toContain('"ls"');
  });
});
