import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitPassages } from "./passage.js";

const bare = (text: string): string => text.replaceAll(/\s/g, "");
const starts = (line: string): boolean => line.startsWith("# ");
const linesOf = (text: string): number[] => splitPassages(text, { starts }).map(({ line }) => line);
const message = (name: string, count: number): string =>
  [`# ${name}`, ...Array<string>(count).fill("a line of code")].join("\n");

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
      `${long} ${long} ${long} ${long}`,
    ].join("\n");
    const passages = splitPassages(text, { starts });
    expect(passages.map(({ line, text: one }) => [line, one.match(/# ./g)])).toEqual([
      [1, ["# a"]],
      [3, ["# b", "# c", "# d"]],
      [9, ["# e"]],
      [10, null],
    ]);
  });

  it("leaves no heading without text", () => {
    const text = `# a\n\n${"word ".repeat(239)}`;
    const passages = splitPassages(text, { starts });
    expect(passages.map(({ line }) => line)).toEqual([1]);
    const [first, rest] = splitPassages(text + text, { starts });
    expect(first?.text.length).toBeGreaterThan(1_100);
    expect(rest?.line).toBe(3);
  });

  it("begins a passage with the message that follows the rest of a longer one", () => {
    const lines = Array<string>(13).fill("word ".repeat(30));
    const text = ["# a", ...lines, "# b", "short"].join("\n");
    const passages = splitPassages(text, { starts });
    expect(passages.map(({ line }) => line)).toEqual([1, 9, 15]);
  });

  it("leaves a message of up to a third more characters whole, whatever its lines", () => {
    expect(linesOf([message("a", 100), message("b", 100)].join("\n"))).toEqual([1, 102]);
    expect(linesOf(message("a", 120)).slice(0, 3)).toEqual([1, 13, 25]);
  });

  it("does not count the blank lines of a message", () => {
    const paragraphs = Array.from({ length: 30 }, () => `${"word ".repeat(18)}\n`).join("\n");
    expect(linesOf(`# a\n${paragraphs}`)[1]).toBe(23);
    expect(linesOf(paragraphs)[1]).toBe(13);
  });
});
