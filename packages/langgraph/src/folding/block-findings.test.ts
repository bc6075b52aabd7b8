import { AIMessage } from "@langchain/core/messages";
import { foldOf, estimateTokens, toStoredMessage } from "@palimpsest/context";
import { blockLine, blocksOf, findingTokens, textCounter } from "@palimpsest/context/folding";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { playFolding } from "../testing/play-folding.js";
import { ScriptedModel } from "../testing/scripted-model.js";

const count = textCounter(estimateTokens);
const things = ["port of the gateway", "budget of Porto", "deadline of the audit"];

/** A result in which each value of a few things stands in a line of its own among lines of no interest. */
const resultArbitrary = fc
  .array(fc.tuple(fc.constantFrom(...things), fc.integer({ min: 1_000, max: 99_999_999 })), { maxLength: 4 })
  .map((values) => {
    const noise = Array.from(
      { length: 12 },
      (_, row) => `row ${row} of the page: nothing to see in it, in stock`,
    );
    return [...noise, ...values.map(([thing, value]) => `The ${thing} is ${value} from now on.`)].join("\n");
  });

const modelText = fc
  .oneof(
    fc.string({ unit: "grapheme" }),
    fc.lorem({ maxCount: 200 }),
    fc.constantFrom(
      "| open: “The budget of Porto is 1 from now on.”",
      "value ".repeat(4_000),
      "”“”",
      "$& $1",
    ),
  )
  // A blank answer is a failure, after which the text is extracted.
  .filter((text) => text.trim() !== "");

const caseArbitrary = fc.record({
  results: fc.array(resultArbitrary, { minLength: 12, maxLength: 40 }),
  texts: fc.array(modelText, { minLength: 1, maxLength: 4 }),
  recentBlocks: fc.constantFrom(2, 6, 24),
});

interface Case {
  readonly results: readonly string[];
  readonly texts: readonly string[];
  readonly recentBlocks: number;
}

async function play({ results, texts, recentBlocks }: Case, isWritten: boolean) {
  const model = new ScriptedModel((_, call) => new AIMessage(texts[call % texts.length] ?? ""));
  return playFolding({
    steps: results.length,
    result: (step) => results[step - 1] ?? "",
    options: { recentBlocks, ...(isWritten ? { summaryModel: model } : {}) },
  });
}

it("a block with a model's text shows each line that the same block keeps without a model, whatever the model writes", async () => {
  const kept = new Set<string>();
  await fc.assert(
    fc.asyncProperty(caseArbitrary, async (given) => {
      const without = await play(given, false);
      const written = await play(given, true);
      const lines = blocksOf(written.messages).map(blockLine);
      const blocks = blocksOf(without.messages);
      expect(lines).toHaveLength(blocks.length);
      for (const [at, block] of blocks.entries()) {
        const { scale, findings = [], spareFindings = [], id, startStep, endStep } = block;
        expect(lines[at]).toContain(`[S${id} steps ${startStep}-${endStep}] `);
        for (const line of quotedLines([...findings, ...spareFindings])) {
          expect(lines[at]).toContain(line);
          kept.add(scale);
        }
      }
      for (const { messages, opened, thread } of [without, written])
        expect(await opened(messages)).toEqual(thread().map((message) => toStoredMessage(message)));
    }),
    { numRuns: 12 },
  );
  expect([...kept].toSorted()).toEqual(["macro", "micro"]);
});

it("text and quoted lines of a block together have at most microTokens, or macroTokens, and the lines half of that", async () => {
  await fc.assert(
    fc.asyncProperty(caseArbitrary, fc.boolean(), async (given, isWritten) => {
      const { messages } = await play(given, isWritten);
      const sizes = blocksOf(messages).map(({ scale, text, findings = [] }) => {
        const most = scale === "micro" ? 65 : 160;
        return {
          most,
          size: count(text) + findingTokens(findings, count),
          quoted: count(findings.join(" | ")),
        };
      });
      expect(sizes.filter(({ most, size }) => size > most)).toEqual([]);
      expect(sizes.filter(({ most, quoted }) => quoted > most / 2)).toEqual([]);
    }),
    { numRuns: 12 },
  );
});

it("a value that a model leaves out of its text stands in the context until a newer one does", async () => {
  const results = Array.from({ length: 60 }, (_, step) =>
    [
      ...Array.from({ length: 12 }, (_, row) => `row ${row} of the page: nothing to see in it, in stock`),
      ...(step % 7 === 0 ? [`The port of the gateway is ${8_000 + step} from now on.`] : []),
    ].join("\n"),
  );
  const played = await play({ results, texts: ["I read a page."], recentBlocks: 4 }, true);
  for (const [at, prompt] of played.prompts.entries()) {
    const text = prompt.map(({ text }) => text).join("\n");
    expect(text).toContain(`The port of the gateway is ${8_000 + 7 * Math.floor(at / 7)} from now on.`);
  }
  const folds = played.messages.flatMap((message) => foldOf(message) ?? []);
  expect(folds.filter(({ kind }) => kind === "macro").length).toBeGreaterThan(2);
});

it("a step that the agent summarizes itself has its words alone", async () => {
  const { messages } = await playFolding({
    steps: 6,
    call: (step) => (step > 1 ? { summary: `mine ${step - 1}` } : undefined),
  });
  expect(blocksOf(messages).map(({ text }) => text)).toEqual([
    "mine 1",
    "mine 2",
    "mine 3",
    "mine 4",
    "mine 5",
  ]);
  expect(
    blocksOf(messages).flatMap(({ findings = [], spareFindings = [] }) => [...findings, ...spareFindings]),
  ).toEqual([]);
});

function quotedLines(entries: readonly string[] = []): readonly string[] {
  return entries.flatMap((entry) => entry.match(/“[^“”]*”/g) ?? []);
}
