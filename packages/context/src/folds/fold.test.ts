import * as fc from "fast-check";
import { expect, it } from "vitest";
import { sealedText, type Fold } from "./fold.js";

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

it("signs all fields of a fold but its seal as JSON with sorted keys, whatever a client puts into it", () => {
  const fields = fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom("__proto__", "block", "7")),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fields, fc.string(), (signed, seal) => {
      const fold = { ...signed, seal } as unknown as Fold;
      const { seal: _, ...others } = signed;
      expect(sealedText(fold)).toBe(JSON.stringify(others, sortKeys));
    }),
  );
});
