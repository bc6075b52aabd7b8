import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inlineText } from "../messages/text.js";
import { shortTextArbitrary } from "../testing/index.js";
import { emptySummary, parseSummary, renderSummary, summarySections, type Summary } from "./summary.js";

describe("renderSummary", () => {
  it("writes the sections in order, each entry on one line, and none that is empty", () => {
    const summary = { ...emptySummary, nextSteps: ["test it"], intent: ["build\n  the parser", "fast"] };
    expect(renderSummary(summary)).toBe(
      "## Session intent\n- build the parser\n- fast\n\n## Next steps\n- test it",
    );
    expect(renderSummary(emptySummary)).toBe("");
  });
});

describe("parseSummary", () => {
  it("reads back what was written, whatever the entries say", () => {
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

  it("takes the headings that models write instead", () => {
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
      constraints: ["never push"],
      findings: ["the file is empty", "plain prose counts as well"],
    });
  });

  it("joins a section that comes twice, and keeps one that is empty", () => {
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
  ])("finds no summary in %j", (text) => {
    expect(parseSummary(text)).toBeUndefined();
  });

  it("reads any Markdown into entries that are written and read back as they are", () => {
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
