import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromLosslessJson, toLosslessJson } from "./lossless-json.js";

function roundTrip(value: unknown): unknown {
  return fromLosslessJson(
    JSON.parse(JSON.stringify(toLosslessJson(value))) as ReturnType<typeof toLosslessJson>,
  );
}

describe("lossless JSON", () => {
  it.each<[string, unknown]>([
    ["undefined", { a: undefined, list: [undefined] }],
    ["dates", { "a.b": new Date(0), "a\\b": [new Date(1)] }],
    ["maps and sets", new Map<unknown, unknown>([["a", new Set([1n, Number.NaN, -0])]])],
    ["a Buffer", { bytes: Buffer.from("bytes") }],
    ["typed arrays", [new Uint8Array([1, 2]).subarray(1), new Float64Array([0.5]), new BigInt64Array([1n])]],
    ["raw memory", [new Uint8Array([1, 2]).buffer, new DataView(new ArrayBuffer(2))]],
    [
      "keys of a prototype",
      JSON.parse('{"__proto__":1,"constructor":{"prototype":2},"~constructor":3,"~":4}'),
    ],
    ["such keys inside a map", new Map([["a", { constructor: new Date(0) }]])],
    ["text that UTF-8 cannot hold", "\ud800 \u0000"],
  ])("keeps %s", (_, value) => {
    const back = roundTrip(value);
    expect(back).toEqual(value);
    expect(toLosslessJson(back)).toEqual(toLosslessJson(value));
  });

  it("keeps shared and cyclic references, also below reserved keys", () => {
    const shared = { n: 1 };
    const value: Record<string, unknown> = { constructor: [shared], other: shared };
    value["self"] = value;
    const back = roundTrip(value) as { self: unknown; other: unknown; constructor: unknown[] };
    expect(back.self).toBe(back);
    expect(back.constructor[0]).toBe(back.other);
  });

  it("keeps every plain value", () => {
    fc.assert(
      fc.property(
        fc.anything({ withDate: true, withMap: true, withSet: true, withBigInt: true }),
        (value) => {
          const once = toLosslessJson(value);
          expect(toLosslessJson(roundTrip(value))).toEqual(JSON.parse(JSON.stringify(once)));
        },
      ),
      { numRuns: 300 },
    );
  });
});
