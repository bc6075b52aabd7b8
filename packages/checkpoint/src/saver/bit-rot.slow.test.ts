import { describe, expect, it } from "vitest";
import { flippedReads } from "../testing/bit-flips.js";
import { directoryTarget, fileTarget } from "../testing/flip-targets.js";

/** How many bits to flip in each. 1,000 take ten minutes. @default 150 */
const flips = Number(process.env["PALIMPSEST_FLIPS"] ?? 150);

describe("no random bit flip silently changes what is read", () => {
  it.each([
    ["in a SQLite file", fileTarget],
    ["in a directory of blobs and archives", directoryTarget],
  ])(
    "%s",
    async (_, target) => {
      const { silent, unclear, reported, intact } = await flippedReads(await target(), {
        flips,
        seed: 2,
      });
      expect({ silent, unclear }).toEqual({ silent: [], unclear: [] });
      expect(reported).toBeGreaterThan(flips / 10);
      expect(reported + intact).toBe(flips);
    },
    1_800_000,
  );
});
