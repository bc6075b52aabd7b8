import { expect, it } from "vitest";
import { costRow } from "./cost-row.js";
import { frontComparisons, isOnFront, type CostFront, type CostPoint } from "./front-of-cost.js";

function point(system: string, bill: number, recall: number): CostPoint {
  const isOurs = system === "ours";
  const names = {
    set: "runs",
    window: 32_000,
    isBounded: true,
    system,
    setting: "default",
    isOurs,
    author: "program",
  } as const;
  return { row: costRow(names, []), bill, recall };
}

function front(ours: readonly CostPoint[], others: readonly CostPoint[]): CostFront {
  return { set: "runs", window: 32_000, calls: 100, ours, others };
}

it("compares bills where theirs is the smallest share of ours", () => {
  const others = [point("theirs", 0.5, 0.8), point("theirs", 0.8, 0.9)];
  const [compared, ...rest] = frontComparisons([front([point("ours", 0.75, 0.9)], others)]);
  expect(rest).toEqual([]);
  expect(compared).toMatchObject({ better: "lower", ours: 0.75, rivals: [{ value: 0.5 }] });
});

it("compares the highest recall where none of ours has that of theirs, and invents no bill", () => {
  const others = [point("theirs", 0.5, 0.8), point("theirs", 2, 0.9), point("theirs", 4, 0.95)];
  const [compared] = frontComparisons([front([point("ours", 0.4, 0.7), point("ours", 0.6, 0.82)], others)]);
  expect(compared).toMatchObject({ better: "higher", ours: 0.82, rivals: [{ value: 0.95 }] });
});

it("requires a bill of theirs or less only beside settings that keep the goal and the user's rules", () => {
  const paid = (goal: number, constraints: number, point: CostPoint): CostPoint => ({
    ...point,
    row: { ...point.row, author: "model", goal, constraints },
  });
  const ours = [paid(1, 1, point("ours", 0.6, 0.9))];
  const cheaper = point("theirs", 0.5, 0.9);
  expect(isOnFront(front(ours, [paid(1, 1, cheaper)]))).toBe(false);
  expect(isOnFront(front(ours, [paid(1, Number.NaN, cheaper)]))).toBe(false);
  expect(isOnFront(front(ours, [paid(0.9, 1, cheaper), paid(1, 0.9, cheaper)]))).toBe(true);
  expect(isOnFront(front([paid(0.9, 1, point("ours", 0.4, 0.9)), ...ours], [paid(1, 1, cheaper)]))).toBe(
    false,
  );
});
