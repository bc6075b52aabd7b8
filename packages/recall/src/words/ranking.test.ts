import { describe, expect, it } from "vitest";
import { byRecency, fuse, smooth } from "./ranking.js";

const ranking = (...ids: number[]) => ids.map((id, at) => ({ id, score: 10 - at }));

describe("fuse", () => {
  it("ranks first what both rankings rank high", () => {
    expect(fuse(ranking(3, 2, 1), ranking(2, 4, 1)).map(({ id }) => id)).toEqual([2, 1, 3, 4]);
  });

  it("sums the reciprocal ranks, of which those by meaning count half", () => {
    expect(fuse(ranking(5), ranking(6, 5))[0]).toEqual({ id: 5, score: 1 / 11 + 0.5 / 12 });
  });
});

describe("byRecency", () => {
  it("puts the newest of equal scores first, and leaves a better match before a newer one", () => {
    const found = [
      { id: 1, score: 4 },
      { id: 3, score: 4 },
      { id: 5, score: 3 },
    ];
    expect(byRecency(found, 0.1).map(({ id }) => id)).toEqual([3, 1, 5]);
    expect(byRecency(found, 0)).toEqual(found);
  });

  it("returns an empty ranking as it is", () => {
    expect(byRecency([], 0.1)).toEqual([]);
  });
});

describe("smooth", () => {
  it("gives a tenth of a score to the neighbours in the same file only", () => {
    const paths = new Map([
      [1, "a"],
      [2, "a"],
      [3, "b"],
    ]);
    expect(smooth([{ id: 2, score: 4 }], paths)).toEqual([
      { id: 2, score: 4 },
      { id: 1, score: 0.4 },
    ]);
  });
});
