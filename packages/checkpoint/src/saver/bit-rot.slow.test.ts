import { describe, expect, it } from "vitest";
import { flippedReads } from "../testing/bit-flips.js";
import { directoryTarget, fileTarget } from "../testing/flip-targets.js";

describe("of 1,000 bits that flip at random, none changes in silence what is read", () => {
  it.each([
    ["in a SQLite file", fileTarget],
    ["in a directory of blobs and archives", directoryTarget],
  ])(
    "%s",
    async (_, target) => {
      const { silent, unclear, reported, intact } = await flippedReads(await target(), {
        flips: 1000,
        seed: 2,
      });
      expect({ silent, unclear }).toEqual({ silent: [], unclear: [] });
      expect(reported).toBeGreaterThan(100);
      expect(reported + intact).toBe(1000);
    },
    1_800_000,
  );
});
