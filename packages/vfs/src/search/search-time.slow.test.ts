import * as fc from "fast-check";
import { expect, it } from "vitest";
import { MemoryBackend } from "../backends/driver-backend.js";
import { measureHold } from "../testing/event-loop-hold.js";

const piece = fc.constantFrom(
  "a",
  "e",
  ".",
  "\\w",
  "[ab]",
  "[^x]",
  "\\d",
  "\\pL",
  "é",
  "^",
  "$",
  "\\b",
  "\\B",
  "error",
  "[a-z0-9]",
  "\\s",
  "😀",
);
const count = fc.oneof(
  fc.constantFrom("*", "+", "?", "*?", "{0,30}", "{5}", "{2,}", "{1000}"),
  fc.tuple(fc.nat(60), fc.nat(60)).map(([low, more]) => `{${low},${low + more}}`),
);
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    piece,
    fc.tuple(tie("pattern"), count).map(([of, times]) => `(?:${of})${times}`),
    fc.array(tie("pattern"), { minLength: 2, maxLength: 5 }).map((parts) => parts.join("")),
    fc.array(tie("pattern"), { minLength: 2, maxLength: 20 }).map((parts) => `(${parts.join("|")})`),
    fc
      .tuple(tie("pattern"), fc.integer({ min: 2, max: 40 }))
      .map(([of, times]) => of.repeat(Math.min(times, Math.ceil(2_100 / of.length)))),
  ),
}));

const alphabet = 'ab error 19é😀x-{}":,';
const text = fc
  .tuple(
    fc.integer({ min: 1, max: 2_147_483_646 }),
    fc.constantFrom(10, 300, 5_000, 5_000, 60_000, 60_000, 1_000_000),
    fc.integer({ min: 1, max: 20 }),
  )
  .map(([seed, length, kinds]) => {
    const letters = Array.from(alphabet).slice(0, kinds);
    let state = seed;
    return Array.from({ length }, () => letters[(state = (state * 48_271) % 2_147_483_647) % kinds]).join("");
  });

/** How many patterns and texts to search. 10,000 take seven minutes. @default 1_500 */
const runs = Number(process.env["PALIMPSEST_SEARCHES"] ?? 1_500);
/** In milliseconds: short, so that a fast machine too meets searches that end before they are through. */
const timeLimit = 25;
const mostHeld = 250;

it("holds the event loop under 250 ms for generated patterns and texts, and stays in its time", async () => {
  const backend = new MemoryBackend();
  const seen = { refused: 0, found: 0, ended: 0, none: 0, longest: 0, most: 0 };
  await fc.assert(
    fc.asyncProperty(pattern, text, fc.boolean(), async (source, content, ignoreCase) => {
      await backend.write("/text", content);
      const options = { regex: true, ignoreCase, timeLimit, spread: true };
      const search = async () => backend.grep(source, "/text", null, 100, options);
      const { value, longest, total } = await measureHold(search);
      seen.longest = Math.max(seen.longest, longest);
      seen.most = Math.max(seen.most, total);
      if (value.error !== undefined) seen.refused++;
      else if (value.note?.startsWith("The search ended") === true) seen.ended++;
      else if ((value.matches ?? []).length > 0) seen.found++;
      else seen.none++;
      expect({ source, longest: longest < mostHeld }).toEqual({ source, longest: true });
      expect({ source, total: total < timeLimit + 2 * mostHeld }).toEqual({ source, total: true });
    }),
    { numRuns: runs, endOnFailure: true },
  );
  console.log(JSON.stringify(seen));
  expect(seen.refused).toBeGreaterThan(runs / 100);
  expect(seen.found).toBeGreaterThan(runs / 100);
  expect(seen.ended).toBeGreaterThan(runs / 400);
}, 1_800_000);
