import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epistemicMarkers, markerFamilies, uncertaintyPoints } from "./epistemic-markers.js";
import { extractSummary } from "../summary/extract-summary.js";
import { foldOf } from "../folds/fold.js";
import { trimToArchive } from "../passes/trim-to-archive.js";
import { historyArbitrary, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { planSummary } from "../summary/plan-summary.js";
import { parseSummary, renderSummary } from "../summary/summary.js";
import { completeSummary, earlierSummary } from "../summary/earlier-summary.js";
import { emptyPatch, numberSummary, patchSummary } from "../summary/patch-summary.js";

const tokenCounter = estimateTokens;
const doubt = "Wait, perhaps the cache on line 12 is stale.";
const thread = [
  talk.human("h1", "Wait for me. Find the leak."),
  talk.ai("a1", `I read the file. ${doubt} The tests pass.`),
  talk.ai("a2", "Everything is clear."),
  talk.human("h2", "Go on."),
  talk.ai("a3", "Done."),
];

describe("markers of doubt", () => {
  it("epistemicMarkers finds phrases with straight and curly apostrophes", () => {
    expect(epistemicMarkers("I'm not sure. I’m not sure.")).toEqual(["i'm not sure", "i’m not sure"]);
    expect(markerFamilies("I’m not sure.")).toBe(1);
  });

  it.each([
    ["wait", "hmm", "actually", "hm", "ah"],
    ["let me reconsider", "on second thought", "I was wrong"],
    ["perhaps", "alternatively", "I'm not sure", "uncertain"],
    ["check", "verify", "double-check", "let me verify"],
    ["hold on"],
  ])("%s … are one family: each counts once, in any case, and not inside another word", (...phrases) => {
    for (const phrase of phrases) {
      expect([phrase, markerFamilies(`So ${phrase.toUpperCase()}, ${phrase}.`)]).toEqual([phrase, 1]);
      expect([phrase, markerFamilies(`x${phrase}x`)]).toEqual([phrase, 0]);
    }
    expect(markerFamilies(phrases.join(". "))).toBe(1);
  });

  it('"but wait" and "actually no" belong to two families: their first words count as well', () => {
    expect(["But wait.", "Actually no."].map(markerFamilies)).toEqual([2, 2]);
  });
});

describe("uncertainty points", () => {
  it("uncertaintyPoints quotes sentences of the agent only", () => {
    expect(uncertaintyPoints(thread)).toEqual([`Agent: "${doubt}"`]);
  });

  it("an uncertainty point keeps the phrase of a very long sentence, on one line", () => {
    const long = `${"so ".repeat(300)}but I'm not sure\u2028## Findings ${"and ".repeat(300)}`;
    const [point = ""] = uncertaintyPoints([talk.ai("a", long)]);
    expect(point).toContain("I'm not sure");
    expect(point.length).toBeLessThan(240);
    expect(point.split(/[\n\u2028]/)).toHaveLength(1);
  });

  it("uncertaintyPoints prefers doubt to routine checks, and returns a bounded number", () => {
    const talked = Array.from({ length: 40 }, (_, at) => talk.ai(`t${at}`, `Let me check file ${at}.`));
    const points = uncertaintyPoints([talk.ai("a1", doubt), ...talked]);
    expect(points).toHaveLength(4);
    expect(points[0]).toContain(doubt);
    const doubts = Array.from({ length: 40 }, (_, at) => talk.ai(`d${at}`, `Perhaps it is ${at}.`));
    expect(uncertaintyPoints(doubts)).toHaveLength(12);
    expect(uncertaintyPoints(doubts).at(-1)).toContain("Perhaps it is 39.");
  });

  it("parseSummary restores the uncertainty points of any extracted summary", () => {
    fc.assert(
      fc.property(historyArbitrary(), (messages) => {
        const { uncertainties } = extractSummary([...messages, talk.ai("doubt", doubt)]);
        expect(uncertainties).toContain(`Agent: "${doubt}"`);
        const parsed = parseSummary(renderSummary(extractSummary([...messages, talk.ai("doubt", doubt)])));
        expect(parsed?.uncertainties).toEqual(uncertainties);
      }),
      { numRuns: 50 },
    );
  });
});

/** The thread after a trim, with more said behind it. */
function trimmed(preserveMarkers?: boolean) {
  const plan = planSummary(thread, { cut: 3, tokenCounter });
  if (plan === undefined) throw new Error("nothing to fold");
  return trimToArchive(plan, { tokenCounter, preserveMarkers });
}

describe("a fold without a model", () => {
  it("a trim lists the uncertainty points of the folded messages unless preserveMarkers is false", () => {
    const standIn = trimmed().messages.find((message) => foldOf(message) !== undefined);
    expect(standIn?.text).toContain(`## Uncertainty points\n- Agent: "${doubt}"`);
    const without = trimmed(false).messages.find((message) => foldOf(message) !== undefined);
    expect(without?.text).not.toContain("Uncertainty");
  });

  it("a trim carries over the uncertainty points of the previous fold", () => {
    const more = [
      ...trimmed().messages,
      talk.ai("b1", "Hmm, the lock is held twice."),
      talk.human("h3", "And?"),
    ];
    const plan = planSummary(more, { cut: more.length - 1, tokenCounter });
    if (plan === undefined) throw new Error("nothing to fold");
    const { messages } = trimToArchive(plan, { tokenCounter });
    const text = messages.findLast((message) => foldOf(message) !== undefined)?.text;
    expect(parseSummary(text ?? "")?.uncertainties).toEqual([
      `Agent: "${doubt}"`,
      `Agent: "Hmm, the lock is held twice."`,
    ]);
  });
});

describe("a summary model", () => {
  it("a summary model can resolve an uncertainty point by its number, but cannot add one", () => {
    const { messages } = trimmed();
    const earlier = earlierSummary(messages);
    expect(numberSummary(earlier)).toContain(`- [u1] Agent: "${doubt}"`);
    const asked = [...messages, talk.ai("b1", "Hmm, the lock is held twice.")];
    const settle = (resolved: readonly string[]) => {
      const written = patchSummary(earlier, { ...emptyPatch, findings: ["x"], resolved });
      return completeSummary(written, extractSummary(asked), asked).uncertainties;
    };
    expect(settle([])).toEqual([`Agent: "${doubt}"`, `Agent: "Hmm, the lock is held twice."`]);
    expect(settle(["u1"])).toEqual([`Agent: "Hmm, the lock is held twice."`]);
  });
});
