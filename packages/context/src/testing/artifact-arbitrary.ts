import * as fc from "fast-check";

/** Returns what tools hand to the host beside their text: most of it has no form in JSON. Shrinks to undefined. */
export function artifactArbitrary(): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    fc.constantFrom<unknown>(null, 0, Number.NaN, -0, 12n, "text", [], {}),
    fc.date({ noInvalidDate: true }).map((when) => ({ when, missing: undefined, list: [undefined, when] })),
    fc.uint8Array({ maxLength: 8 }).map((bytes) => ({ bytes, copy: Buffer.from(bytes) })),
    fc
      .dictionary(fc.constantFrom("a", "a.b", "constructor", "prototype", "~", "~constructor"), fc.nat(9), {
        noNullPrototype: true,
      })
      .map((counts) => ({ counts, map: new Map([["counts", counts]]), set: new Set([1]) })),
  );
}
