import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { windowLine } from "./window-line.js";

describe("windowLine", () => {
  it("shows the start of the span, splits no character, and counts what it leaves out", () => {
    const line = fc
      .array(fc.constantFrom("a", "é", "😀"), { minLength: 1, maxLength: 60 })
      .map((c) => c.join(""));
    const count = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(line, fc.record({ at: fc.nat(), size: count, max: count }), (text, { at, size, max }) => {
        const start = at % text.length;
        const { span, text: shown } = windowLine(
          text,
          { start, end: Math.min(start + size, text.length) },
          max,
        );
        expect(span.start).toBeLessThanOrEqual(start);
        expect(span.end).toBeGreaterThan(span.start);
        expect(shown).toContain(text.slice(span.start, span.end));
        expect(text.slice(span.start, span.end)).not.toMatch(/^\p{Surrogate}|\p{Surrogate}$/u);
        expect(shown.includes(`[… ${span.start} characters before]`)).toBe(span.start > 0);
        expect(shown.includes(`[${text.length - span.end} characters after …]`)).toBe(span.end < text.length);
      }),
    );
  });
});
