import * as fc from "fast-check";
import { expect, it } from "vitest";
import { mergeCompaction, type CompactionState } from "./context-state.js";

const stateArbitrary: fc.Arbitrary<CompactionState> = fc.record(
  {
    overheadTokens: fc.nat(),
    refusedAt: fc.nat(),
    refusedFor: fc.constantFrom("floor", "too-little-freed", "nothing-to-fold", "" as const),
  },
  { requiredKeys: [] },
);
const anyState = fc.option(fc.oneof(stateArbitrary, fc.constant(undefined)));

it("is idempotent, so that a host may feed whole states back", () => {
  fc.assert(
    fc.property(anyState, anyState, (current, update) => {
      const merged = mergeCompaction(current, update);
      expect(mergeCompaction(merged, update)).toEqual(merged);
      expect(mergeCompaction(merged, merged)).toEqual(merged);
    }),
  );
});

it("changes neither of its inputs, and treats a missing state as empty", () => {
  fc.assert(
    fc.property(anyState, anyState, (current, update) => {
      const before = structuredClone([current, update]);
      mergeCompaction(current, update);
      expect([current, update]).toEqual(before);
      expect(mergeCompaction(undefined, null)).toEqual({});
      expect(mergeCompaction(current, undefined)).toEqual({ ...current });
    }),
  );
});
