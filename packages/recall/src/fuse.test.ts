import { describe, expect, it } from "vitest";
import { fuse } from "./fuse.js";
import { smooth } from "./smooth.js";

const ranking = (...ids: number[]) => ids.map((id, at) => ({ id, score: 10 - at }));

const passage = (id: number, path: string) => ({ id, thread: "t", path, line: id, text: "" });

describe("fuse", () => {
  it("puts first what both rankings put high", () => {
    expect(fuse([ranking(1, 2, 3), ranking(2, 4, 1)]).map(({ id }) => id)).toEqual([2, 1, 4, 3]);
  });

  it("adds the reciprocals of the ranks", () => {
    expect(fuse([ranking(5), ranking(6, 5)])[0]).toEqual({ id: 5, score: 1 / 61 + 1 / 62 });
  });
});

describe("smooth", () => {
  it("gives half of a score to the neighbours in the same file alone", () => {
    const around = [passage(1, "a"), passage(2, "a"), passage(3, "b")];
    expect(smooth([{ id: 2, score: 4 }], around)).toEqual([
      { id: 2, score: 4 },
      { id: 1, score: 2 },
    ]);
  });
});
