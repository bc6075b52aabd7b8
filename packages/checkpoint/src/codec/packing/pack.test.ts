import { randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pack, unpack } from "./pack.js";
import { unpackAll } from "./unpack-all.js";

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }),
  fc
    .tuple(fc.string(), fc.nat(20_000))
    .map(([text, length]) => Buffer.from(text.repeat(length).slice(0, 100_000))),
);
const equal = (a: Uint8Array, b: Uint8Array | undefined): boolean =>
  b !== undefined && Buffer.compare(a, b) === 0;

describe("pack", () => {
  it("adds at most one byte to a value, and unpack restores it", () => {
    fc.assert(
      fc.property(bytes, (given) => {
        const packed = pack(given);
        expect(packed.length).toBeLessThanOrEqual(given.length + 1);
        expect(equal(given, unpack(packed))).toBe(true);
      }),
    );
  });

  it("is reversed by unpackAll for many values, in any order and of any sizes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(bytes, { maxLength: 30 }), fc.boolean(), async (given, compress) => {
        const unpacked = await unpackAll(given.map((each) => pack(each, { compress })));
        expect(given.every((each, index) => equal(each, unpacked[index]?.bytes))).toBe(true);
      }),
    );
  });

  it("is reversed as text, in ASCII and beyond it", async () => {
    const text = fc
      .tuple(fc.string({ unit: "grapheme" }), fc.nat(50))
      .map(([piece, times]) => piece.repeat(times));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 30 }), async (given) => {
        const unpacked = await unpackAll(given.map((each) => pack(Buffer.from(each))));
        expect(unpacked.map((each) => each.text)).toEqual(given.map((each) => Buffer.from(each).toString()));
      }),
    );
  });

  it.each([0, 1, 2, 3, 91])(
    "is reversed for a value of several megabytes that begins with byte %d",
    async (first) => {
      for (const size of [3_999_999, 4_000_000, 4_000_001]) {
        const given = Buffer.alloc(size, "0123456789abcdef");
        given[0] = first;
        const packed = pack(given);
        expect(packed.length).toBeLessThanOrEqual(size + 1);
        expect(equal(given, unpack(packed))).toBe(true);
        expect(equal(given, (await unpackAll([packed]))[0]?.bytes)).toBe(true);
      }
    },
  );

  it("compresses a large value, and leaves one that does not compress", () => {
    const repeated = Buffer.alloc(1_000_000, "0123456789abcdef");
    expect(pack(repeated).length).toBeLessThan(100_000);
    expect(pack(randomBytes(1_000_000)).length).toBe(1_000_001);
  });

  it("inflates no value beyond its stated size, nor beyond the largest size that pack deflates", async () => {
    const bomb = deflateRawSync(Buffer.alloc(100_000_000));
    for (const [size, code] of [
      [1000, "corrupt"],
      [60_000, "corrupt"],
      [100_000_000, "corrupt"],
    ] as const) {
      const header = Buffer.from([1, 0, 0, 0, 0]);
      header.writeUInt32LE(size, 1);
      const packed = Buffer.concat([header, bomb]);
      expect(() => unpack(packed)).toThrow(expect.objectContaining({ code }));
      await expect(unpackAll([packed, packed])).rejects.toMatchObject({ code });
    }
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["an unknown mark", Buffer.from([9, 1, 2, 3])],
    ["a cut header", Buffer.from([1, 1])],
    ["a cut stream", pack(Buffer.from("abc ".repeat(100))).subarray(0, 12)],
  ])("refuses %s as corrupt", async (_, packed) => {
    expect(() => unpack(packed)).toThrow(expect.objectContaining({ code: "corrupt" }));
    await expect(unpackAll([packed])).rejects.toMatchObject({ code: "corrupt" });
  });
});
