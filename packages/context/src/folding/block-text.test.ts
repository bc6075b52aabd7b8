import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  clipTokens,
  macroText,
  microText,
  goalWordsOf,
  tellingPart,
  tellingWeight,
  textCounter,
} from "./block-text.js";
import type { Interaction } from "./interaction.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";

const count = textCounter(estimateTokens);
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.lorem({ maxCount: 200 }),
  fc.string().map((one) => one.repeat(500)),
);
const limit = fc.integer({ min: 0, max: 90 });

function observed(line: string): Pick<Interaction, "observation" | "results"> {
  return { observation: line, results: [{ source: "open", line }] };
}

it("an automatic text stays within its token limit, on one line, for any content", () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 3, maxLength: 12 }), limit, (texts, maxTokens) => {
      const [explanation = "", action = "", observation = ""] = texts;
      const micro = microText(
        { step: 1, explanation, action, ...observed(observation) },
        { maxTokens, count },
      );
      const macro = macroText(
        texts.map((one) => one.replaceAll(/\s+/g, " ")),
        { maxTokens, count },
      );
      expect(Math.max(count(micro), count(macro))).toBeLessThanOrEqual(maxTokens);
      expect(micro).not.toMatch(/[\n\r]/);
    }),
    { numRuns: 40 },
  );
});

it("a micro summary states the action and keeps the passage with names and numbers", () => {
  const observation = `${"Welcome to the shop. ".repeat(60)}Order A-4711-X of 2026-03-01 costs 129.90 EUR. ${"Thanks for reading. ".repeat(60)}`;
  const micro = microText(
    {
      step: 4,
      explanation: "I open the order.",
      action: 'open {"page":"/orders"}',
      ...observed(observation),
    },
    { maxTokens: 65, count },
  );
  expect(micro).toContain('I open the order. | open {"page":"/orders"}: “…');
  expect(micro).toContain("A-4711-X");
});

it("goal words take precedence over other names and numbers", () => {
  const prices = Array.from({ length: 60 }, (_, at) => `Chair B-${at}-77 costs ${at}.50.`).join(" ");
  const text = `${prices} The lamp by Hollis is in the window. ${prices}`;
  const goalWords = goalWordsOf("What does the lamp by Hollis cost?");
  expect(tellingPart(text, { maxTokens: 40, count, goalWords })).toContain("lamp by Hollis");
  expect(tellingPart(text, { maxTokens: 40, count })).not.toContain("Hollis");
});

it("clipTokens returns a text that fits unchanged, and never splits a character", () => {
  expect(clipTokens("short", 10, count)).toBe("short");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), limit, (one, maxTokens) =>
      clipTokens(one.toWellFormed(), maxTokens, count).isWellFormed(),
    ),
  );
});

it("tellingWeight counts each distinct identifier once", () => {
  expect(tellingWeight("page 7 of 122, as it is")).toBe(0);
  expect(tellingWeight("A-4711-X")).toBe(5);
  expect(tellingWeight("A-4711-X A-4711-X")).toBe(5);
  expect(tellingPart("nothing here at all", { maxTokens: 0, count })).toBe("");
});

it("a macro summary contains a piece of every block while there is room", () => {
  const texts = Array.from(
    { length: 4 },
    (_, at) => `Looked around in room ${at} | open | found key-${at}-of-brass and ${"dust ".repeat(40)}`,
  );
  const macro = macroText(texts, { maxTokens: 80, count });
  expect(texts.map((_, at) => macro.includes(`key-${at}-of-brass`))).toEqual([true, true, true, true]);
});

/** Marks and separators with which a result may try to end its quotation, around a letter that stands in results alone. */
const hostile = fc
  .array(
    fc.constantFrom(
      "§",
      "“",
      "”",
      "; ",
      " | ",
      ": ",
      "\n",
      "open: “",
      "\u200b",
      " A-4711-X ",
      "words of it. ",
    ),
    {
      maxLength: 120,
    },
  )
  .map((parts) => parts.join(""));

it("text of a result stands between quotation marks behind its tool's name, wherever it is cut and however often it is merged", () => {
  let shown = 0;
  fc.assert(
    fc.property(
      fc.array(fc.array(hostile, { maxLength: 3 }), { minLength: 1, maxLength: 9 }),
      limit,
      (steps, maxTokens) => {
        const micro = steps.map((lines, at) =>
          microText(
            {
              step: at,
              explanation: "I open “two”; then",
              action: lines.length === 1 ? 'open {"page":7}' : "open {}; open {}",
              observation: "",
              results: lines.map((line) => ({ source: `open (${at}.md)`, line })),
            },
            { maxTokens, count },
          ),
        );
        const macro = macroText(micro, { maxTokens, count });
        for (const one of [
          ...micro,
          macro,
          macroText([macro, ...micro], { maxTokens: maxTokens / 2, count }),
        ]) {
          expect(
            one.replace(/(?<=open(?: \(\d\.md\)| {[^“”|;]*|): (?:“[^“”]*” )*)“[^“”]*”/g, ""),
          ).not.toContain("§");
          if (one.includes("§")) shown++;
        }
      },
    ),
    { numRuns: 200 },
  );
  expect(shown).toBeGreaterThan(200);
});
