import * as fc from "fast-check";
import { expect, it } from "vitest";
import { lineMatcher } from "./line-matcher.js";
import { matchLine, mayMissPart } from "./match-line.js";

const window = 64;
const maxLineLength = 10;

async function search(line: string, pattern: string, how: { readonly window: number }) {
  const matcher = { ...(await lineMatcher(pattern, { regex: true })), ...how };
  const place = { path: "/a", line: 1, byteAt: (at: number) => at };
  const matches = [...matchLine(line, place, { matcher, maxLineLength })];
  return { matcher, matches: matches.filter((match) => match !== undefined) };
}

const part = fc.constantFrom(
  "a",
  "b",
  "ab",
  "\\bab?",
  "b\\b",
  "\\Ba",
  "[ab]{3}",
  "a{0,4}b",
  "^b",
  "a$",
  ".",
  "\\s",
  "😀",
);
const pattern = fc
  .array(
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
    { minLength: 1, maxLength: 3 },
  )
  .map((alternatives) => `(?:${alternatives.join("|")})x`);
const line = fc
  .array(fc.constantFrom("a", "b", " ", "x", "ax", "bx", "😀", "-".repeat(20)), {
    minLength: 1,
    maxLength: 120,
    size: "max",
  })
  .map((letters) => letters.join(""));

it("finds the same matches in parts of a line as in the whole line, if they are shorter than half a part", async () => {
  const counts = { matched: 0, parted: 0 };
  await fc.assert(
    fc.asyncProperty(pattern, line, async (source, text) => {
      const inParts = await search(text, source, { window });
      fc.pre(inParts.matcher.longest <= window / 2);
      const whole = await search(text, source, { window: text.length });
      expect(inParts.matches).toEqual(whole.matches);
      counts.matched += inParts.matches.length;
      counts.parted += Number(text.length > window);
      expect(mayMissPart(text, inParts.matcher)).toBe(false);
    }),
    { numRuns: 1_000 },
  );
  expect(counts.matched).toBeGreaterThan(100);
  expect(counts.parted).toBeGreaterThan(300);
});

it("prefers the first alternative even if only the text after a part shows that it matches", async () => {
  const text = `${"-".repeat(20)}aa😀axaa axaaa😀${"-".repeat(20)}axaaxaabxa`;
  const source = "(?:a.[ab]{3}|\\Ba)x";
  const { matches } = await search(text, source, { window });
  expect(matches).toEqual((await search(text, source, { window: text.length })).matches);
  expect(matches).toHaveLength(1);
});

it("finds every matching line that is no longer than a part", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("a.*b", "^.*x$", "x+ .*", "(a|b)*x", "\\b.*\\b"),
      line,
      async (source, text) => {
        const { matches } = await search(text, source, { window: text.length });
        expect(matches.length > 0).toBe(new RegExp(source, "u").test(text));
      },
    ),
    { numRuns: 500 },
  );
});

it("says that it may miss a match which is longer than half a part", async () => {
  const text = `start${"-".repeat(200)}end`;
  const { matches, matcher } = await search(text, "start.*end", { window });
  expect(matches).toEqual([]);
  expect(mayMissPart(text, matcher)).toBe(true);
});

it("shows the beginning of a match that is longer than a part", async () => {
  const { matches } = await search(`${"-".repeat(300)}start${"-".repeat(300)}`, "start.*", { window });
  expect(matches[0]?.text).toContain("start");
  expect(matches[0]?.range?.start).toBeLessThanOrEqual(300);
});
