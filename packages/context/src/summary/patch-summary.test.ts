import * as fc from "fast-check";
import { expect, it } from "vitest";
import { emptyPatch, entryId, numberSummary, patchSummary } from "./patch-summary.js";
import { emptySummary, parseSummary, renderSummary, type Summary } from "./summary.js";

const before: Summary = {
  ...emptySummary,
  intent: ["Build a parser"],
  findings: ["The grammar has 17 rules", "Port 8080 is taken"],
  openQuestions: ["Are comments kept?"],
  inProgress: ["Write the lexer"],
  nextSteps: ["Write the tests"],
};

it("a patch adds entries, resolves and drops entries by id, and leaves the rest unchanged", () => {
  const after = patchSummary(before, {
    ...emptyPatch,
    findings: ["The lexer takes 3 ms"],
    decisions: ["Keep comments (because: the user reads them)"],
    resolved: ["q1", "P1"],
    obsolete: ["f2", "x9"],
    nextSteps: ["Run the tests"],
  });
  expect(after).toEqual({
    ...before,
    findings: ["The grammar has 17 rules", "The lexer takes 3 ms"],
    decisions: ["Keep comments (because: the user reads them)"],
    openQuestions: [],
    done: ["Write the lexer"],
    inProgress: [],
    nextSteps: ["Run the tests"],
  });
});

it("an empty patch changes nothing, and adding the same entries twice equals adding them once", () => {
  expect(patchSummary(before, emptyPatch)).toEqual(before);
  const patch = { ...emptyPatch, findings: ["new"] };
  expect(patchSummary(patchSummary(before, patch), patch)).toEqual(patchSummary(before, patch));
});

it("numberSummary lists each entry with its patch id", () => {
  const shown = numberSummary(before);
  expect(shown).toContain("## Findings\n- [f1] The grammar has 17 rules\n- [f2] Port 8080 is taken");
  expect(shown).toContain(`[${entryId("nextSteps", 0)}] Write the tests`);
});

/** A summarizer that loses each fact that it puts into words with a chance of one in a hundred. */
function lossy(random: () => number) {
  return (facts: readonly string[]) => facts.filter(() => random() >= 0.01);
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    const more = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32;
  };
}

it("with 1 % loss for each rewrite, 99 % of the patched facts survive 200 summaries, and 13 % (0.99^200) of the rewritten ones", () => {
  const random = mulberry(7);
  const tell = lossy(random);
  const generations = 200;
  const first = Array.from({ length: 1_000 }, (_, at) => `fact ${at}`);
  let rewritten: readonly string[] = tell(first);
  let patched = patchSummary(emptySummary, { ...emptyPatch, findings: tell(first) });
  for (let generation = 1; generation < generations; generation++) {
    rewritten = tell(rewritten);
    const read = parseSummary(renderSummary(patched)) ?? emptySummary;
    patched = patchSummary(read, { ...emptyPatch, findings: tell([`news ${generation}`]) });
  }
  const left = (facts: readonly string[]) => facts.filter((fact) => first.includes(fact)).length / 1_000;
  expect(left(rewritten)).toBeCloseTo(0.99 ** generations, 1);
  expect(left(patched.findings)).toBeGreaterThan(0.98);
});

it("an entry that no patch names survives any additions, through rendering and parsing", () => {
  const line = fc.stringMatching(/^[a-z][a-z ]{0,20}[a-z]$/);
  const patches = fc.array(fc.array(line, { maxLength: 4 }), { maxLength: 10 });
  fc.assert(
    fc.property(fc.uniqueArray(line, { minLength: 1, maxLength: 8 }), patches, (facts, more) => {
      let summary: Summary = { ...emptySummary, findings: facts };
      for (const findings of more) {
        const read = parseSummary(renderSummary(summary)) ?? emptySummary;
        summary = patchSummary(read, { ...emptyPatch, findings });
      }
      expect(summary.findings.slice(0, facts.length)).toEqual(facts);
    }),
  );
});
