import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeScope, safeName } from "./names.js";

const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom("..", "/", "\\", "a", "_", "-", ".", "é", "\0", " "), { maxLength: 12 })
    .map((p) => p.join("")),
);

describe("safeName", () => {
  it.each(["call_abc123", "toolu_01XyZ", "2f1c9e1e-93a5-4c7e-9d0e-a1b2c3d4e5f6", "a.b"])(
    "keeps %j as it is",
    (id) => expect(safeName(id)).toBe(id),
  );

  it("keeps the readable part of a hostile text", () => {
    expect(safeName("../../etc/passwd")).toMatch(
      /^_._etc_passwd-[0-9a-f]{16}$|^__?\.?\._etc_passwd-[0-9a-f]{16}$/,
    );
    expect(safeName("")).toMatch(/^_-[0-9a-f]{16}$/);
    expect(safeName("x".repeat(10_000))).toMatch(/^x{63}-[0-9a-f]{16}$/);
    for (const device of ["CON", "nul.txt", "com1"]) expect(safeName(device)).toMatch(/-[0-9a-f]{16}$/);
  });

  it("returns a safe file name for any text", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(safeName(text)).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,79}$/);
        expect(safeName(text)).not.toMatch(/\.$/);
        expect(safeName(safeName(text)) === safeName(text)).toBe(safeName(text) === text);
      }),
      { numRuns: 500 },
    );
  });

  it("returns distinct names for distinct texts, including its own results", () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const texts = [...new Set([a, b, safeName(a), safeName(b)])];
        expect(new Set(texts.map(safeName)).size).toBe(texts.length);
      }),
      { numRuns: 500 },
    );
    expect(safeName("\ud800")).not.toBe(safeName("\ud801"));
  });
});

describe("encodeScope", () => {
  it("keeps plain ids readable", () => {
    expect(encodeScope("t1")).toBe("t1");
    expect(encodeScope("2f1c9e1e-93a5-4c7e-9d0e-a1b2c3d4e5f6")).toBe("2f1c9e1e-93a5-4c7e-9d0e-a1b2c3d4e5f6");
    expect(encodeScope("User 7")).toMatch(/^user_7\.[0-9a-f]{40}$/);
  });

  it("returns distinct names for distinct ids, even on a filesystem that ignores case", () => {
    const odd = [
      "t1",
      "t10",
      "T1",
      "t.1",
      "t/1",
      "../t1",
      ".",
      "..",
      "é",
      "e\u0301",
      "'; drop table t; --",
      "con",
      " ",
    ];
    const ids = fc.oneof(fc.constantFrom(...odd), fc.string({ unit: "binary", minLength: 1 }));
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        expect(encodeScope(a).toLowerCase() === encodeScope(b).toLowerCase()).toBe(a === b);
        expect(encodeScope(a)).toMatch(/^[a-z0-9_-][a-z0-9_.-]{0,80}$/);
        expect(encodeScope(encodeScope(a)) === encodeScope(a)).toBe(encodeScope(a) === a);
      }),
      { numRuns: 500 },
    );
  });

  it("refuses an id that is empty or not a string", () => {
    const given: unknown[] = ["", undefined, 7];
    for (const id of given) expect(() => encodeScope(id as string)).toThrow(/is not a thread id.*thread_id/);
  });
});
