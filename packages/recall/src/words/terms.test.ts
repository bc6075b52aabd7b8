import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stemOf, words } from "./terms.js";

describe("words", () => {
  it("returns a path, its names, and the parts of each name", () => {
    expect(words("see src/http/parseUrl.ts:42")).toEqual([
      "see",
      "src/http/parseurl.ts:42",
      "src",
      "http",
      "parseurl",
      "parse",
      "url",
      "ts",
      "42",
    ]);
  });

  it("splits identifiers of every convention", () => {
    expect(words("MAX_RETRY_count")).toEqual(["max_retry_count", "max", "retry", "count"]);
    expect(words("HTTPServer2")).toEqual(["httpserver2", "http", "server2"]);
  });

  it("returns words of any script, and none for punctuation", () => {
    expect(words("Größe 温度 — …")).toEqual(["größe", "温度"]);
  });

  it("never returns a character that a query language interprets", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const word of words(text)) expect(word).toMatch(/^[\p{L}\p{M}\p{N}_$./:@-]+$/u);
      }),
    );
  });
});

it.each([
  ["tests", "test"],
  ["tested", "test"],
  ["testing", "test"],
  ["boxes", "box"],
  ["bus", "bus"],
  ["ring", "ring"],
  ["thing", "thing"],
  ["über", "über"],
  ["src/tests", "src/tests"],
  ["md5s", "md5s"],
])("stems %s to %s", (word, stem) => {
  expect(stemOf(word)).toBe(stem);
});
