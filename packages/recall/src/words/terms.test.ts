import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { questionTerms, stemOf, termsOf, words } from "./terms.js";

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
    expect(words("Größen 温度 — …")).toEqual(["größen", "grossen", "温度"]);
  });

  it("returns an accented Latin, Greek or Cyrillic word as it is and without accents", () => {
    expect(words("docs/Café.md")).toEqual(["docs/café.md", "docs/cafe.md", "docs", "café", "cafe", "md"]);
    expect(words("cafe\u0301 Łódź ήλιος ёлка")).toEqual([
      "café",
      "cafe",
      "łódź",
      "lodz",
      "ήλιος",
      "ηλιος",
      "ёлка",
      "елка",
    ]);
    expect(words("が हि")).toEqual(["が", "हि"]);
  });

  it("returns every two neighbouring characters of a script without spaces, and the other words beside them", () => {
    expect(words("数据库连接")).toEqual(["数据", "据库", "库连", "连接"]);
    expect(words("使用parseUrl调用 猫")).toEqual(["使用", "parseurl", "parse", "url", "调用", "猫"]);
    expect(words("docs/設定.md")).toEqual(["docs/設定.md", "docs", "設定", "md"]);
    expect(words("サーバー")).toEqual(["サー", "ーバ", "バー"]);
    expect(words("𠮷野家")).toEqual(["𠮷野", "野家"]);
  });

  it("never returns a character that a query language interprets", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const word of words(text)) expect(word).toMatch(/^[\p{L}\p{M}\p{N}_$./:@-]+$/u);
      }),
    );
  });
});

describe("terms", () => {
  it("of a text hold each character of a script without spaces and each pictograph, wherever they are", () => {
    expect(termsOf("黒猫。👍👍🏽")).toEqual(["黒猫", "黒", "猫", "u1f44d", "u1f44d"]);
  });

  it("of a question hold a character alone only where it stands alone", () => {
    expect(questionTerms("猫")).toEqual(["猫"]);
    expect(questionTerms("黒猫 👍")).toEqual(["黒猫", "u1f44d"]);
  });
});

it.each([
  ["tests", "test"],
  ["tested", "test"],
  ["testing", "test"],
  ["planned", "plan"],
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
