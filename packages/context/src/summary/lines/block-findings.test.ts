import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesOfEntry } from "../../quotations/sourced-lines.js";
import { talk } from "../../testing/index.js";
import { estimateTokens } from "../../tokens/estimate-tokens.js";
import { textCounter } from "../../folding/block-text.js";
import { findingsOfStep, mergedFindings, type EarlierFindings } from "./block-findings.js";
import { formOf } from "./findings.js";

const count = textCounter(estimateTokens);
const none: EarlierFindings = { shown: [], spare: [] };

/** A value of one of a few things, at different lengths, as a line of a result. */
const stated = fc
  .tuple(fc.constantFrom("port", "budget", "deadline", "key of the north gate"), fc.nat(99_999_999))
  .map(([thing, value]) => `The ${thing} of the harbour is ${value} now.`);
const other = fc.oneof(fc.string({ unit: "grapheme", minLength: 20, maxLength: 120 }), fc.lorem());
const lines = fc.array(fc.oneof(stated, other), { maxLength: 30 });
const maxTokens = fc.integer({ min: 0, max: 200 });

function step(result: readonly string[]) {
  return [talk.calls("c", { a: ["open", { page: 1 }] }), talk.result("r", "a", result.join("\n"))];
}

function quoted(entries: readonly string[]): readonly string[] {
  return entries.flatMap(linesOfEntry).map(({ line }) => line);
}

function tokensOf(entries: readonly string[]): number {
  return count(entries.join(" | "));
}

/** Returns the lines of a list of which the list has a newer value, and not that one. */
function stale(chosen: readonly string[], all: readonly string[]): readonly string[] {
  return chosen.filter((line) => {
    const newest = all.findLast((one) => formOf(one) === formOf(line)) ?? line;
    return /^The .* is \d+ now\.$/.test(line) && !chosen.includes(newest);
  });
}

describe("the quoted lines of a step", () => {
  it("take at most half of the block, each as a quotation of its tool, for any result", () => {
    fc.assert(
      fc.property(lines, maxTokens, (result, most) => {
        const { all, updates, others } = findingsOfStep(step(result), { maxTokens: most, count, ...none });
        expect(tokensOf(all)).toBeLessThanOrEqual(most / 2);
        expect(all.filter((entry) => !/^open: (?:“[^“”\n]*” ?)+$/.test(entry))).toEqual([]);
        expect(updates).toEqual([]);
        expect(others).toEqual(all);
      }),
    );
  });

  it("never are an old value without the newest one of the step", () => {
    fc.assert(
      fc.property(fc.array(stated, { minLength: 1, maxLength: 20 }), maxTokens, (result, most) => {
        const { all } = findingsOfStep(step(result), { maxTokens: most, count, ...none });
        expect(stale(quoted(all), result)).toEqual([]);
      }),
    );
  });

  it("begin with the newer values of what earlier blocks say, and tell those that an earlier block shows", () => {
    const rare = Array.from(
      "abcdefgh",
      (letter) => `Gate ${letter.repeat(4)} needs 12 lamps, violet marbles and a keeper.`,
    );
    const result = [...rare, "The port is 8443 from now on.", "The quota is 17 from now on."];
    const earlier = {
      shown: ["open: “The port is 8080 from now on.”"],
      spare: ["open: “The quota is 3 from now on.”"],
    };
    const found = findingsOfStep(step(result), { maxTokens: 65, count, ...earlier });
    expect(quoted(found.all).slice(-2)).toEqual(result.slice(-2));
    expect(quoted(found.updates)).toEqual(["The port is 8443 from now on."]);
    expect(quoted(found.others)).toContain("The quota is 17 from now on.");
  });

  it("prefer a newer value to lines that would come first without an earlier block", () => {
    const strange = Array.from(
      "abcdefgh",
      (letter) => `${letter.repeat(6)} ${letter.repeat(4)} ${letter.repeat(5)} is here ${letter.repeat(3)}.`,
    );
    const result = [...strange, "It is 17 now, as it is in all of it."];
    const shown = ["open: “It is 3 now, as it is in all of it.”"];
    const chosen = (earlier: EarlierFindings) =>
      quoted(findingsOfStep(step(result), { maxTokens: 40, count, ...earlier }).all);
    expect(chosen(none)).not.toContain(result.at(-1));
    expect(chosen({ ...none, shown })).toContain(result.at(-1));
    result.push("It is 18 now, as it is in all of it.");
    // Several lines of one form are rows of a list.
    expect(chosen({ ...none, shown })).toEqual(chosen(none));
  });

  it("of a step without results are those of its reply", () => {
    const reply = talk.ai("e", "The harbour opens again.\nThe port of the gateway is 8443.");
    const { all } = findingsOfStep([reply], { maxTokens: 65, count, ...none });
    expect(all).toEqual(["agent: “The harbour opens again.” “The port of the gateway is 8443.”"]);
  });
});

describe("the quoted lines of a merged block", () => {
  const blocks = fc.array(
    fc
      .array(stated, { minLength: 1, maxLength: 6 })
      .map((one) => `open: ${one.map((line) => `“${line}”`).join(" ")}`),
    { minLength: 1, maxLength: 8 },
  );

  it("take at most half of it, and never are an old value without the newest one", () => {
    fc.assert(
      fc.property(blocks, maxTokens, (merged, most) => {
        const entries = mergedFindings(merged, { maxTokens: most, count, later: [] });
        expect(tokensOf(entries)).toBeLessThanOrEqual(most / 2);
        expect(stale(quoted(entries), quoted(merged))).toEqual([]);
      }),
    );
  });

  it("leave out what the blocks after it say newer", () => {
    fc.assert(
      fc.property(blocks, blocks, maxTokens, (merged, later, most) => {
        const newer = new Set(quoted(later).map(formOf));
        const entries = mergedFindings(merged, { maxTokens: most, count, later });
        expect(quoted(entries).filter((line) => newer.has(formOf(line)))).toEqual([]);
      }),
    );
  });

  it("keep the newest value through any number of merges, while there is room", () => {
    const room = { maxTokens: 160, count, later: [] };
    let entries: readonly string[] = [];
    for (let round = 0; round < 50; round++)
      entries = mergedFindings([...entries, `open: “The port is ${round} now, they say.”`], room);
    expect(quoted(entries)).toContain("The port is 49 now, they say.");
    expect(tokensOf(entries)).toBeLessThanOrEqual(80);
  });
});
