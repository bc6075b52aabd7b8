import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitPassages } from "./passage.js";

const bare = (text: string): string => text.replaceAll(/\s/g, "");

describe("splitPassages", () => {
  it("keeps every line except blank passages and the breaks between passages", () => {
    const line = fc.string({ maxLength: 60, unit: "binary" });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), (lines, most) => {
        const passages = splitPassages(lines.join("\n"), { lines: most, characters: 40 });
        expect(bare(passages.map(({ text }) => text).join(""))).toBe(bare(lines.join("")));
      }),
      { numRuns: 40 },
    );
  });

  it("returns the line number at which each passage begins", () => {
    const text = Array.from({ length: 50 }, (_, at) => `line ${at + 1}`).join("\n");
    const passages = splitPassages(text, { lines: 7 });
    expect(passages).toHaveLength(8);
    for (const { line, text: passage } of passages) expect(passage.split("\n")[0]).toBe(`line ${line}`);
  });

  it("splits a long line into passages of that line, between characters", () => {
    const passages = splitPassages(`short\n${"😀".repeat(700)}\nlast`, { characters: 501 });
    expect(passages.map(({ line }) => line)).toEqual([1, 2, 2, 2]);
    for (const { text } of passages) {
      expect(text.length).toBeLessThanOrEqual(501 + 10);
      expect(text.isWellFormed()).toBe(true);
    }
  });

  it("begins a passage with each message, and keeps short messages together", () => {
    const long = "word ".repeat(90).trim();
    const text = [
      "# a",
      long,
      "# b",
      "short",
      "# c",
      "short",
      "# d",
      "one",
      "# e",
      `${long} ${long} ${long}`,
    ].join("\n");
    const passages = splitPassages(text, { starts: (line) => line.startsWith("# ") });
    expect(passages.map(({ line, text: one }) => [line, one.match(/# ./g)])).toEqual([
      [1, ["# a"]],
      [3, ["# b", "# c", "# d"]],
      [9, ["# e"]],
      [10, null],
    ]);
  });

  it("leaves no heading without text", () => {
    const text = `# a\n\n${"word ".repeat(239)}`;
    const passages = splitPassages(text, { starts: (line) => line.startsWith("# ") });
    expect(passages.map(({ line }) => line)).toEqual([1]);
    const [first, rest] = splitPassages(text + text, { starts: (line) => line.startsWith("# ") });
    expect(first?.text.length).toBeGreaterThan(1_100);
    expect(rest?.line).toBe(3);
  });

  it("begins a passage with the message that follows the rest of a longer one", () => {
    const text = ["# a", ...Array<string>(13).fill("line"), "# b", "short"].join("\n");
    const passages = splitPassages(text, { starts: (line) => line.startsWith("# ") });
    expect(passages.map(({ line }) => line)).toEqual([1, 13, 15]);
  });
});
