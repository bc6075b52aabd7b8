import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CheckpointError } from "../../checkpoint-error.js";
import { CodecBench } from "../../testing/round-trip.js";
import { Bundle, bundle, packedAlone, unpackStored, looksLike } from "./bundle.js";
import { pack, unpack } from "./pack.js";
import { digestOf } from "../reference.js";
import { unpackAll } from "./unpack-all.js";

const values = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(fc.string({ unit: "grapheme" }), fc.nat(200))
      .map(([text, times]) => Buffer.from(text.repeat(times))),
  ),
  { minLength: 1, maxLength: 30 },
);
const members = (all: readonly Buffer[]): { digest: string; bytes: Buffer }[] =>
  all.map((bytes) => ({ digest: digestOf(bytes), bytes }));

/** Returns what a bundle holds, or the code of the error that it is refused with. */
function read(data: Buffer): unknown {
  try {
    return new Bundle(data).members.map((one) => ({ digest: one.digest, bytes: unpackStored(one) }));
  } catch (error) {
    return CheckpointError.isInstance(error) && error.code;
  }
}

describe("a bundle", () => {
  it("gives each of its values back, with others and alone, compressed and not", async () => {
    await fc.assert(
      fc.asyncProperty(values, values, fc.boolean(), async (given, others, compress) => {
        const whole = new Bundle(bundle(members(given), { compress }));
        expect(whole.members.map(({ digest }) => digest)).toEqual(given.map(digestOf));
        for (const [index, member] of whole.members.entries()) {
          expect(unpackStored(member)).toEqual(given[index]);
          expect(unpack(packedAlone(member))).toEqual(given[index]);
        }
        const mixed = [...others.map((each) => pack(each)), ...whole.members.toReversed()];
        const unpacked = await unpackAll(mixed);
        expect(unpacked.map(({ bytes }) => bytes)).toEqual([...others, ...given.toReversed()]);
        expect(unpacked.map(({ text }) => text)).toEqual(
          [...others, ...given.toReversed()].map((bytes) => bytes.toString()),
        );
      }),
    );
  });

  it("does not take more than its values, apart from their names", () => {
    fc.assert(
      fc.property(values, (given) => {
        const size = given.reduce((sum, { length }) => sum + length, 0);
        expect(bundle(members(given), { compress: true }).length).toBeLessThanOrEqual(
          21 + 20 * given.length + size,
        );
      }),
    );
  });

  it("leaves as it is what hardly gets smaller", () => {
    const random = members([Buffer.from(randomBytes(9000).toString("base64").replaceAll(/[AB]/g, "."))]);
    const text = members([Buffer.from("again and again ".repeat(500))]);
    expect(new Bundle(bundle(text, { compress: true })).packed.length).toBeLessThan(200);
    expect(new Bundle(bundle(members([randomBytes(9000)]), { compress: true })).packed).toHaveLength(9001);
    expect(new Bundle(bundle(random, { compress: true })).packed.length).toBeGreaterThan(9000);
  });

  it("is refused when it is damaged, wherever that is", () => {
    const given = members([Buffer.from("one ".repeat(300)), Buffer.from("two ".repeat(300))]);
    const whole = bundle(given, { compress: true });
    expect(read(whole)).toEqual(given);
    for (const [position, byte] of whole.entries()) {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8(byte ^ 1, position);
      expect(read(damaged)).toBe("corrupt");
    }
    for (let length = 0; length < whole.length; length++)
      expect(read(whole.subarray(0, length))).toBe("corrupt");
  });
});

function kinds(value: unknown): string[] {
  const bench = new CodecBench();
  bench.encode(value);
  return [...bench.blobs.values()].map((packed) => looksLike(unpack(packed)));
}

describe("what bytes look like", () => {
  it("is a leaf for messages and for most texts", () => {
    const long = "some words ".repeat(100);
    expect(kinds([new AIMessage(long), new HumanMessage(long), long])).toEqual(["leaf", "leaf", "leaf"]);
  });

  it("is a page for those of a list, and a tree for the rest of it", () => {
    const list = Array.from({ length: 3000 }, (_, index) => index);
    expect(new Set(kinds(list))).toEqual(new Set(["page", "tree"]));
    expect(kinds(list).filter((kind) => kind === "page").length).toBeGreaterThan(3);
  });

  it("is a tree for a large object", () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key ${index}`, "some words"]));
    expect(kinds(many)).toEqual(["tree"]);
  });
});
