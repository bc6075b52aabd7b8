import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeScope } from "./encode-scope.js";

describe("encodeScope", () => {
  it("keeps plain ids readable", () => {
    expect(encodeScope("t1")).toBe("t1");
    expect(encodeScope("2f1c9e1e-93a5-4c7e-9d0e-a1b2c3d4e5f6")).toBe("2f1c9e1e-93a5-4c7e-9d0e-a1b2c3d4e5f6");
    expect(encodeScope("User 7")).toMatch(/^user_7\.[0-9a-f]{40}$/);
  });

  it("keeps every two ids apart, also where names ignore case", () => {
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

  it("refuses an id that is empty or no string", () => {
    const given: unknown[] = ["", undefined, 7];
    for (const id of given) expect(() => encodeScope(id as string)).toThrow(/is not a thread id.*thread_id/);
  });
});
