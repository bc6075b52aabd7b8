import { AIMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goalsOf } from "./goals.js";
import { interactionOf } from "./interaction.js";
import { contextTag, directiveIn, goalTag, stripDirectives, stripMessage } from "./reply-directives.js";

const fold = '<context>{"range":[3,9],"summary":"done"}</context>';

describe("tags", () => {
  it("contextTag returns the content of the last context tag, closed or not", () => {
    expect(contextTag("a <context>1</context> b <CONTEXT>2</CONTEXT> c")).toBe("2");
    expect(contextTag("a <context>{1")).toBe("{1");
    expect(contextTag("none")).toBeUndefined();
  });

  it("goalTag returns the goal on one line, and undefined for an empty tag", () => {
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
  ])("stripDirectives removes a directive %s", (_, text, expected) => {
    expect(stripDirectives(text)).toBe(expected);
  });

  it.each([
    "Wrap it in <context> and </context>, or in <Context value={1}>.",
    "In React: `<context>` opens the tree.",
    "  It is 41.\n",
  ])("stripDirectives keeps a text without a directive unchanged: %j", (text) => {
    expect(stripDirectives(text)).toBe(text);
  });

  it("stripDirectives removes the directive and keeps any text around it", () => {
    const words = fc.string({ unit: fc.constantFrom("a", "{", "}", "<", ">", " ", "\n"), maxLength: 30 });
    fc.assert(
      fc.property(words, words, (before, after) => {
        expect(stripDirectives(`${before}${fold}${after}`)).toBe(`${before}${after}`.trim());
      }),
    );
  });

  it("the directives of a stripped message stay in effect", () => {
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

  it("stripMessage returns a message unchanged when it has no directive or nothing else", () => {
    const [plain, only] = [new AIMessage("It is 41."), new AIMessage(fold)];
    expect(stripMessage(plain)).toBe(plain);
    expect(stripMessage(only)).toBe(only);
  });
});

it("a reply that contains only a directive takes its explanation from the directive", () => {
  const reply = new AIMessage('<context>{"fold":null,"latest":{"explanation":"Opened page 3."}}</context>');
  expect(interactionOf([reply], 1).explanation).toBe("Opened page 3.");
  expect(directiveIn(reply)).toBeUndefined();
});
