import { describe, expect, it } from "vitest";
import { z } from "zod";
import { toolSchemaText } from "./token-counter.js";

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
