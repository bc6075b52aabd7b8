import { expect, it } from "vitest";
import { compactions } from "./compactions.js";
import type { MeasuredCompaction } from "./measure-compaction.js";
import { reportCompactions } from "./report-compactions.js";

it("the suite holds on generated sessions, and fails where the score or our context does not", async () => {
  const result = await compactions({ quick: false, args: [], progress: () => undefined });
  expect(result).toMatchObject({ suite: "compactions", passed: true, cases: 12 });
  expect(result.tooSmall).toEqual([]);
  const { whole } = result.numbers as { whole: readonly MeasuredCompaction[] };
  expect(reportCompactions(whole).passed).toBe(true);
  const chance = whole.map((one) => ({
    ...one,
    cases: one.cases.map((file, at) => ({ ...file, isReadAgain: at % 3 === 0 })),
  }));
  expect(reportCompactions(chance).passed).toBe(false);
  const poor = whole.map((one) => ({ ...one, held: one.held.map((held) => ({ ...held, strings: 1 })) }));
  expect(reportCompactions(poor).passed).toBe(false);
  expect(reportCompactions([]).passed).toBe(false);
}, 120_000);
