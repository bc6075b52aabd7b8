import * as fc from "fast-check";
import { expect, it } from "vitest";
import { admitCompaction } from "./admit-compaction.js";
import type { CompactionState } from "./context-state.js";

const written: CompactionState = {
  contextWindow: 8_000,
  overheadTokens: 0,
  tokenRatio: 1.4,
  scope: "run-1",
  unfoldedAt: "a",
  refusedAt: 7_000,
  refusedFor: "",
  overflow: { reason: "pinned", tokens: 9_000 },
  retriedAt: undefined,
  budgetLines: [{ after: "a", text: "half full" }],
  planner: { folded: { steps: 3, tokens: 40 }, steps: 5, cost: 0.1, savingPerStep: -0.2 },
  prepared: { upTo: "a", digest: "00ff" },
  lastCall: { at: 5, after: "a" },
  prefix: { marks: [{ messages: 2, digest: "x" }], frames: ["y"] },
  goals: [{ text: "Read", step: 0, by: "user" }],
  directedBy: "a",
  microPause: { until: 9, steps: 2 },
  drift: "a",
  regret: { upTo: "a", level: 2, quiet: 1, folded: ["00ff"] },
};

it("what the nodes write passes unchanged", () => {
  expect(admitCompaction(written)).toBe(written);
  expect([admitCompaction(undefined), admitCompaction(null)]).toEqual([undefined, undefined]);
});

it.each([
  { overheadTokens: -1 },
  { tokenRatio: 1e-9 },
  { tokenRatio: NaN },
  { refusedAt: Infinity },
  { contextWindow: 0 },
  { prepared: { upTo: "a", digest: "../x" } },
  { prefix: { marks: "none" } },
  { regret: { upTo: "a", level: 9, quiet: 0, folded: [] } },
  { unknown: 1 },
])("a field that no node can have written is left out, and the others stay: %j", (forged) => {
  expect(admitCompaction({ goals: written.goals, ...forged })).toEqual({ goals: written.goals });
});

it("any value of a client gives a state with known fields, the same each time", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...Object.keys(written)), fc.anything())),
      (value) => {
        const admitted = admitCompaction(value);
        expect(admitCompaction(value)).toEqual(admitted);
        expect(Object.keys(written)).toEqual(expect.arrayContaining(Object.keys(admitted ?? {})));
      },
    ),
  );
});
