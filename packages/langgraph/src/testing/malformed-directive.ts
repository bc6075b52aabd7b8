import * as fc from "fast-check";

/** Returns directives as models get them wrong: cut off, with characters changed, with values of the wrong kind. */
export function malformedDirective(steps: number): fc.Arbitrary<string> {
  const number = fc.oneof(fc.integer({ min: -3, max: steps + 3 }), fc.constantFrom(0, 1.5, 1e21, -0));
  const summary = fc.oneof(fc.string(), fc.constantFrom("", "$& </context> <context>{", '"}]', "\u0000"));
  const valid = fc.oneof(
    fc.record({ range: fc.array(number, { maxLength: 3 }), summary }),
    fc.record({
      fold: fc.record({
        type: fc.constantFrom("deep_consolidation", "granular_condensation", "none"),
        target: fc.record({ ids: fc.array(number) }),
        summary_text: summary,
      }),
    }),
    fc.record({ range: fc.constantFrom(null, "1-3", {}, [[1]]), summary: fc.anything({ maxDepth: 1 }) }),
    fc.anything({ maxDepth: 2 }),
  );
  const text = valid.map(
    (value) =>
      JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one)) ??
      "undefined",
  );
  const cut = fc.tuple(text, fc.nat(200)).map(([whole, end]) => whole.slice(0, end));
  const changed = fc
    .tuple(text, fc.nat(200), fc.string({ maxLength: 3 }))
    .map(([whole, at, mark]) => whole.slice(0, at) + mark + whole.slice(at + 1));
  const fenced = text.map((whole) => `Here it is:\n\`\`\`json\n${whole}\n\`\`\`\nThat is all.`);
  return fc.oneof(text, cut, changed, fenced, fc.string({ unit: "grapheme", maxLength: 60 }));
}
