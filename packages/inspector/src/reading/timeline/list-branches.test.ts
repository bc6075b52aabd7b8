import { describe, expect, it } from "vitest";
import { branchesBeside } from "./list-branches.js";

const entry = (id: string, parentId?: string) => ({ id, parentId, createdAt: `2026-01-0${id}` });
/** 1, 2 and 3 in a row; 4 and 5 leave after 2, and 6 after 1. */
const entries = [
  entry("1"),
  entry("2", "1"),
  entry("3", "2"),
  entry("4", "2"),
  entry("5", "4"),
  entry("6", "1"),
];

describe("the branches beside the shown one", () => {
  it("leave it at the newest checkpoint that both have", () => {
    expect(branchesBeside(entries)).toEqual([
      { tip: "5", at: "1", from: "2026-01-02", to: "2026-01-05", checkpoints: 3, isNewest: false },
      { tip: "3", at: "1", from: "2026-01-02", to: "2026-01-03", checkpoints: 2, isNewest: false },
    ]);
  });

  it("are those beside the branch of any of its checkpoints", () => {
    const beside = branchesBeside(entries, "4").map(({ tip, at, isNewest }) => [tip, at, isNewest]);
    expect(beside).toEqual([
      ["6", "1", true],
      ["3", "2", false],
    ]);
  });

  it("are none in a thread whose checkpoints name no parent", () => {
    expect(branchesBeside([entry("1"), entry("2"), entry("3")])).toEqual([]);
  });
});
