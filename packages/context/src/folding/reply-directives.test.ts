import { AIMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goalsOf } from "./goals.js";
import { interactionOf } from "./interaction.js";
import { contextTag, directiveIn, goalTag, stripDirectives, stripMessage } from "./reply-directives.js";

const fold = '<context>{"range":[3,9],"summary":"done"}</context>';

describe("tags", () => {
  it("give the last directive, closed or not", () => {
    expect(contextTag("a <context>1</context> b <CONTEXT>2</CONTEXT> c")).toBe("2");
    expect(contextTag("a <context>{1")).toBe("{1");
    expect(contextTag("none")).toBeUndefined();
  });

  it("give a goal on one line, and none for an empty one", () => {
    expect(goalTag("<goal> find\n it </goal>")).toBe("find it");
    expect(goalTag("<goal></goal>")).toBeUndefined();
  });
});

describe("a final answer", () => {
  it.each([
    ["at its end", `It is 41.\n${fold}`, "It is 41."],
    ["in a code fence", '<context>\n```json\n{"summary":"x"}\n```\n</context>\nIt is 41.', "It is 41."],
    ["with a goal before it", `<goal>find it</goal>It is 41.${fold}`, "It is 41."],
    ["that was never closed", 'It is 41. <context>{"summary":"x', "It is 41."],
  ])("is stripped of a directive %s", (_, text, expected) => {
    expect(stripDirectives(text)).toBe(expected);
  });

  it.each([
    "Wrap it in <context> and </context>, or in <Context value={1}>.",
    "In React: `<context>` opens the tree.",
    "  It is 41.\n",
  ])("keeps tags that are no directive, and its white space: %j", (text) => {
    expect(stripDirectives(text)).toBe(text);
  });

  it("has no directive left, and none of its own words lost, whatever stands around", () => {
    const words = fc.string({ unit: fc.constantFrom("a", "{", "}", "<", ">", " ", "\n"), maxLength: 30 });
    fc.assert(
      fc.property(words, words, (before, after) => {
        expect(stripDirectives(`${before}${fold}${after}`)).toBe(`${before}${after}`.trim());
      }),
    );
  });

  it("keeps its directives in effect where a message is stripped", () => {
    const text = `It is 41. <goal>Find the price</goal>${fold}`;
    for (const content of [text, [{ type: "text", text }]]) {
      const message = new AIMessage({ id: "a", content });
      const stripped = stripMessage(message);
      expect(stripped.text).toBe("It is 41.");
      expect(stripped.id).toBe("a");
      expect(message.text).toBe(text);
      expect(directiveIn(stripped)).toEqual(directiveIn(message));
      expect(goalsOf([stripped])).toMatchObject([{ text: "Find the price" }]);
      expect(stripMessage(stripped)).toBe(stripped);
    }
  });

  it("stays as it is where it has no directive, or nothing else", () => {
    const [plain, only] = [new AIMessage("It is 41."), new AIMessage(fold)];
    expect(stripMessage(plain)).toBe(plain);
    expect(stripMessage(only)).toBe(only);
  });
});

it("a step whose reply is its directive alone is explained by what the directive says of it", () => {
  const reply = new AIMessage('<context>{"fold":null,"latest":{"explanation":"Opened page 3."}}</context>');
  expect(interactionOf([reply], 1).explanation).toBe("Opened page 3.");
  expect(directiveIn(reply)).toBeUndefined();
});
