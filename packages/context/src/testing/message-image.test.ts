import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { valueImage } from "./message-image.js";

const value = fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true });

it("valueImage is equal only for equal values", () => {
  let equal = 0;
  fc.assert(
    fc.property(value, fc.oneof(value, fc.constant(undefined)), fc.boolean(), (one, other, copied) => {
      const second = copied ? structuredClone(one) : other;
      const same = valueImage(one) === valueImage(second);
      equal += same ? 1 : 0;
      expect(same || !isDeepStrictEqual(one, second)).toBe(true);
      fc.pre(isPlain(one) && isPlain(second));
      expect(same).toBe(isDeepStrictEqual(one, second));
    }),
    { numRuns: 1_000 },
  );
  expect(equal).toBeGreaterThan(100);
});

/** Returns whether a value is JSON data, where both notions of equality agree. */
function isPlain(item: unknown): boolean {
  if (typeof item !== "object" || item === null) return true;
  if (Array.isArray(item)) return item.every(isPlain);
  return Object.getPrototypeOf(item) === Object.prototype && Object.values(item).every(isPlain);
}

it("valueImage ignores the order of keys, and distinguishes strings from numbers and missing from undefined fields", () => {
  expect(valueImage({ a: 1, b: [2, "2"] })).toBe(valueImage({ b: [2, "2"], a: 1 }));
  expect(valueImage(["1"])).not.toBe(valueImage([1]));
  expect(valueImage(["a", "b"])).not.toBe(valueImage(['a","b']));
  expect(valueImage({ a: undefined })).not.toBe(valueImage({}));
  expect(valueImage(new Uint8Array([1]))).not.toBe(valueImage(new Uint8Array([2])));
});
