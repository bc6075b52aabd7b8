import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CodecBench } from "../testing/round-trip.js";

type Entries = Record<string, { readonly value: string }>;

const entry = (value: number): { readonly value: string } => ({ value: `${value} `.repeat(40) });
const recordOf = (size: number): Entries =>
  Object.fromEntries(Array.from({ length: size }, (_, index) => [`/file-${index}`, entry(index)]));

describe("a record in which few values were replaced", () => {
  it("is restored exactly, whatever was replaced and added", async () => {
    const change = fc.tuple(fc.nat(250), fc.integer({ min: 1000, max: 9999 }));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 64, max: 200 }),
        fc.array(fc.array(change, { maxLength: 5 }), { maxLength: 6 }),
        async (size, steps) => {
          const bench = new CodecBench();
          let record = recordOf(size);
          bench.encode(record);
          for (const changes of steps) {
            record = { ...record };
            for (const [index, value] of changes) record[`/file-${index}`] = entry(value);
            const back = await bench.roundTrip(record);
            expect(back).toStrictEqual(record);
            expect(Object.keys(back as object)).toEqual(Object.keys(record));
          }
        },
      ),
    );
  });

  it("stores a few pages, not the rest of the record", () => {
    const bench = new CodecBench();
    const record = recordOf(10_000);
    bench.encode(record);
    const before = [bench.size, bench.blobs.size] as const;
    bench.encode({ ...record, "/file-3000": { value: "changed" } });
    expect(bench.blobs.size - before[1]).toBeLessThan(12);
    expect(bench.size - before[0]).toBeLessThan(20_000);
  });

  it("is encoded again when a value was changed in place", async () => {
    const bench = new CodecBench();
    const record = recordOf(100) as Record<string, { value: string }>;
    bench.encode(record);
    const first = record["/file-7"];
    if (first) first.value = "in place";
    expect(await bench.roundTrip({ ...record })).toStrictEqual(record);
  });
});
