import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromAscii, toAscii } from "./ascii.js";

describe("bytes as ASCII", () => {
  it("give back any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(fromAscii(toAscii(bytes))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it("have no character that JSONB or an encoding of the server refuses", () => {
    const every = Uint8Array.from({ length: 7 * 256 }, (_, index) => (index * 37) % 256);
    const codes = Array.from(toAscii(every), (character) => character.charCodeAt(0));
    expect(Math.min(...codes)).toBe(1);
    expect(Math.max(...codes)).toBe(127);
  });

  it("are less than a fifth longer where base64 is a third longer", () => {
    const every = Uint8Array.from({ length: 7 * 256 }, (_, index) => (index * 37) % 256);
    expect(toAscii(every).length).toBeLessThan(1.2 * every.length);
  });
});
