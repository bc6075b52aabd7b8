import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readManifest } from "./manifest.js";

const conditions = fc.constantFrom("types", "import", "default", "require", "node");
const target = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom("./a.js", './b{,".mjs'), tie("object")),
  object: fc.dictionary(conditions, tie("value"), { maxKeys: 3 }),
})).value;
const manifest = fc.record(
  {
    name: fc.string(),
    license: fc.oneof(fc.string(), fc.record({ type: fc.string() })),
    version: fc.string(),
    exports: fc.oneof(target, fc.record({ "./x": target, ".": target })),
    main: fc.string(),
    module: fc.string(),
    scripts: fc.dictionary(fc.string(), fc.string()),
  },
  { requiredKeys: ["name", "version"] },
);

describe("readManifest", () => {
  it("never reads from a part what the whole does not say", () => {
    fc.assert(
      fc.property(manifest, fc.nat(2), fc.double({ min: 0, max: 1, noNaN: true }), (value, indent, share) => {
        const text = JSON.stringify(value, undefined, indent);
        const whole = readManifest(`==> p/package.json <==\n${text}\n`);
        const part = readManifest(text.slice(0, Math.floor(text.length * share)));
        expect(whole.complete).toBe(true);
        expect(whole.known).toMatchObject({ version: value.version });
        expect({ ...whole.known, ...part.known }).toEqual(whole.known);
      }),
    );
  });

  it("follows the conditions of an entry point in their order", () => {
    const exports = { ".": { require: "./a.cjs", import: { types: "./a.d.ts", default: "./a.js" } } };
    expect(readManifest(JSON.stringify({ exports, main: "m.js" })).known["entry"]).toBe("./a.js");
    expect(readManifest(JSON.stringify({ main: "m.js" })).known["entry"]).toBe("m.js");
    expect(readManifest("{}").known).toEqual({ licence: "none", entry: "index.js" });
  });
});
