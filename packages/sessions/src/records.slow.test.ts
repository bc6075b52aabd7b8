import { expect, it } from "vitest";
import { readRecords } from "./records.js";

/** A valid line, a line of 200 MB, and another valid one, in chunks of one MB. */
async function* largeFile(): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(1024 * 1024).fill(0x61);
  yield new TextEncoder().encode('{"a":1}\n');
  for (let at = 0; at < 200; at++) yield chunk;
  yield new TextEncoder().encode('\n{"b":2}\n');
}

it("a line of 200 MB is passed on in pieces and named, and the lines around it are read", async () => {
  const seen: { line: number; bytes: number; problem: string | undefined; value: unknown }[] = [];
  for await (const { place, problem, value } of readRecords(largeFile()))
    seen.push({ line: place.line, bytes: place.bytes, problem, value });
  expect(seen[0]?.value).toEqual({ a: 1 });
  expect(seen.at(-1)?.value).toEqual({ b: 2 });
  const pieces = seen.filter(({ line }) => line === 2);
  expect(pieces[0]?.problem).toMatch(/^it is longer than 64 MB/);
  expect(Math.max(...pieces.slice(1).map(({ bytes }) => bytes))).toBeLessThanOrEqual(1024 * 1024);
  expect(pieces.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(200 * 1024 * 1024 + 1);
  expect(pieces.slice(1).every(({ problem }) => problem === undefined)).toBe(true);
});
