import * as fc from "fast-check";
import { expect, it } from "vitest";
import { cheapestAt, meetings, paretoFront } from "./pareto-front.js";

const points = fc.array(
  fc.record({
    bill: fc.integer({ min: 1, max: 50 }),
    recall: fc.integer({ min: 0, max: 10 }).map((n) => n / 10),
  }),
  { minLength: 1 },
);

it("every point has one on the front with at least its recall for at most its bill", () => {
  fc.assert(
    fc.property(points, (all) => {
      const front = paretoFront(all);
      const isBelow = (point: (typeof all)[number]) =>
        front.some(({ bill, recall }) => bill <= point.bill && recall >= point.recall);
      expect(all.every(isBelow)).toBe(true);
      expect(front.map(({ recall }) => recall)).toEqual(
        front.map(({ recall }) => recall).toSorted((one, other) => one - other),
      );
    }),
  );
});

it("a point of the others meets our cheapest of at least its recall, or none", () => {
  const ours = [
    { bill: 2, recall: 0.5 },
    { bill: 3, recall: 0.8 },
  ];
  const others = [
    { bill: 2.5, recall: 0.7 },
    { bill: 4, recall: 0.9 },
    { bill: 5, recall: 0.6 },
  ];
  expect(meetings(ours, others)).toEqual([
    { theirs: others[0], ours: ours[1] },
    { theirs: others[1], ours: undefined },
  ]);
  expect(cheapestAt(ours, 0.504)).toBe(ours[0]);
});
