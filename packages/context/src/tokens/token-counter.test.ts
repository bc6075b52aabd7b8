import { describe, expect, it } from "vitest";
import { z } from "zod";
import { talk } from "../testing/index.js";
import { tokenCounterFrom, toolSchemaText } from "./token-counter.js";

it("a call costs more than its name and its arguments: what encloses it and its result is billed as well", () => {
  const count = tokenCounterFrom((text) => text.length);
  const [none, one, two] = [{}, { a: ["ls"] }, { a: ["ls"], b: ["ls"] }].map((calls) =>
    count([talk.calls("c", calls as Parameters<typeof talk.calls>[1])]),
  ) as [number, number, number];
  expect(one - none).toBeGreaterThan(4 * "ls{}".length);
  expect(two - one).toBe(one - none);
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
