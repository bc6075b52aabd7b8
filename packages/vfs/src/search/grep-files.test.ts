import * as fc from "fast-check";
import { expect, it } from "vitest";
import { MemoryDriver } from "../drivers/memory-driver.js";
import type { NormalPath } from "../paths.js";
import { encodeText } from "../reading/utf8.js";
import { grepFiles } from "./grep-files.js";

const path = "/a.txt" as NormalPath;
const word = fc.constantFrom("x", "hit", "a hit", "", "é", "hit\r", "[hit");
const around = fc.integer({ min: 0, max: 3 });
/** More lines than one read has. */
const manyLines = Array.from({ length: 150_000 }, () => "no");

/** Returns the lines with a pattern and those around them, found by reading all lines. */
function plain(lines: readonly string[], pattern: string, { before = 0, after = 0 }) {
  const isHit = (line: string | undefined) => line?.includes(pattern) === true;
  return lines.flatMap((line, at) => {
    const near = lines.slice(Math.max(0, at - after), at + before + 1).some(isHit);
    if (!near) return [];
    const text = line.replace(/\r$/, "");
    return [{ path, line: at + 1, text, ...(isHit(line) ? {} : { context: true }) }];
  });
}

it.each([
  ["one read", [], 60],
  ["several reads", manyLines, 2],
] as const)(
  "a search of a file of %s finds the same lines as a loop over all lines",
  async (_, first, numRuns) => {
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 12 }), around, around, async (end, before, after) => {
        const lines = [...first, ...end, "last"];
        const driver = new MemoryDriver();
        await driver.write(path, encodeText(lines.join("\n"), path));
        const result = await grepFiles(driver, "hit", { path, before, after });
        expect(result.matches).toEqual(plain(lines, "hit", { before, after }));
      }),
      { numRuns },
    );
  },
);
