import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inlineText } from "../messages/text.js";
import { shortTextArbitrary } from "../testing/index.js";
import { emptySummary, parseSummary, renderSummary, summarySections, type Summary } from "./summary.js";

describe("renderSummary", () => {
  it("renderSummary writes the non-empty sections in order, each entry on one line", () => {
    const summary = { ...emptySummary, nextSteps: ["test it"], intent: ["build\n  the parser", "fast"] };
    expect(renderSummary(summary)).toBe(
      "## Session intent\n- build the parser\n- fast\n\n## Next steps\n- test it",
    );
    expect(renderSummary(emptySummary)).toBe("");
  });
});

describe("parseSummary", () => {
  it("parseSummary restores any rendered summary", () => {
    const entry = shortTextArbitrary().map((text) => inlineText(`x ${text.replace(/\s+/g, " ")}`));
    const odd = fc.constantFrom("## Findings", "**Decisions**", "```js", "1. first", "- nested", "# title");
    const entries = fc.array(fc.oneof(entry, odd), { maxLength: 3 });
    const summaries = fc.record(
      Object.fromEntries(summarySections.map((section) => [section, entries])),
    ) as fc.Arbitrary<Summary>;
    fc.assert(
      fc.property(summaries, (summary) => {
        const empty = Object.values(summary).every((section: readonly string[]) => section.length === 0);
        expect(parseSummary(renderSummary(summary))).toEqual(empty ? undefined : summary);
      }),
      { numRuns: 300 },
    );
  });

  it("parseSummary accepts variants of the headings that models write", () => {
    const text = [
      "Sure, here is the summary:",
      "",
      "```markdown",
      "# SESSION INTENT:",
      "1. build the parser",
      "2) and test it",
      "",
      "**User constraints**",
      "* never push",
      "### Unknown heading",
      "- goes nowhere",
      "## **Findings**",
      "  • the file is empty",
      "plain prose counts as well",
      "```",
    ].join("\n");
    expect(parseSummary(text)).toEqual({
      ...emptySummary,
      intent: ["build the parser", "and test it"],
      userLines: ["never push"],
      findings: ["the file is empty", "plain prose counts as well"],
    });
  });

  it("parseSummary joins repeated sections and accepts empty ones", () => {
    expect(parseSummary("## Findings\n- a\n## Decisions\n## Findings\n- b")).toEqual({
      ...emptySummary,
      findings: ["a", "b"],
    });
  });

  it.each([
    "",
    "I cannot do that.",
    "#Findings\n- a",
    "Findings\n- a",
    "## Findings of mine\n- a",
    "## \n- a",
  ])("parseSummary finds no summary in %j", (text) => {
    expect(parseSummary(text)).toBeUndefined();
  });

  it("the entries that parseSummary reads from any Markdown survive rendering and parsing", () => {
    const odd = fc.string({ unit: fc.constantFrom("#", "*", " ", ":", "-", "a", "`", "1", ".") });
    const line = fc.oneof(odd, fc.constantFrom("## Findings", "**Decisions**", "### Next steps:", "```"));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const summary = parseSummary(lines.join("\n").replaceAll(/ +/g, " ")) ?? emptySummary;
        expect(parseSummary(renderSummary(summary)) ?? emptySummary).toEqual(summary);
      }),
      { numRuns: 300 },
    );
  });
});
