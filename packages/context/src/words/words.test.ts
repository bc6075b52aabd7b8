import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goalWordsOf, tellingPart, tellingWeight } from "../folding/block-text.js";
import { tfIdfScores } from "../retention/importance.js";
import { hasRuleWord } from "../retention/rule-words.js";
import { cosine, hashVector } from "../selection/pace/weights.js";
import { rankUnits } from "../selection/rank-blocks.js";
import { languages } from "../testing/languages.js";
import { contentWords, words } from "./words.js";

it.each([
  ["Read src/a_b.ts: 42 errors, 1,024.5 é", ["read", "src", "a_b", "ts", "42", "errors", "1,024.5", "é"]],
  ["数据库", ["数据", "据库"]],
  ["使用parseUrl调用 猫", ["使用", "parseurl", "调用", "猫"]],
  ["예산을 예산은", ["예산", "산을", "예산", "산은"]],
  ["𠮷野家", ["𠮷野", "野家"]],
  ["हिन्दी में", ["हिन्दी", "में"]],
  ["cafe\u0301", ["café"]],
  ["— … !", []],
])("splits %s into words", (text, expected) => {
  expect(words(text)).toEqual(expected);
});

it("drops short words and digits from the words that tell of a subject, and no pair", () => {
  expect(contentWords("It is 7 or 42 of 数据")).toEqual(["42", "数据"]);
});

it("splits ASCII text as it splits any other", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii" }), (text) => {
      expect(words(`${text} é`)).toEqual([...words(text), "é"]);
    }),
  );
});

describe.each(languages)("in $name", ({ facts, others, rules }) => {
  const texts = [...facts.map(({ fact }) => fact), ...others];

  it.each(facts)("the vector of a question is nearest that of its fact: $question", ({ fact, question }) => {
    const asked = hashVector(question);
    const near = texts.map((text) => cosine(asked, hashVector(text)));
    const own = near[texts.indexOf(fact)] ?? 0;
    expect(own).toBeGreaterThan(0.3);
    expect(own).toBeGreaterThan(0.1 + Math.max(...near.filter((_, at) => texts[at] !== fact)));
  });

  it.each(facts)("the words of a question rank its fact first: $question", ({ fact, question }) => {
    const units = texts.map((text) => ({ value: text, text }));
    const scores = rankUnits(units, { query: question, neighbours: [] });
    expect(texts[scores.indexOf(Math.max(...scores))]).toBe(fact);
  });

  it.each(facts)("a brief text keeps the passage that a goal is about: $question", ({ fact, question }) => {
    const long = [...others, ...others, ...others, fact, ...others, ...others].join(" ");
    const goalWords = goalWordsOf(question);
    const maxTokens = fact.length + 20;
    const part = tellingPart(long, { maxTokens, count: (text) => text.length, goalWords });
    expect(part.length).toBeLessThanOrEqual(maxTokens);
    expect(tellingWeight(part, goalWords)).toBeGreaterThan(0.5 * tellingWeight(fact, goalWords));
  });

  it("a text scores above the same words once more in every other text", () => {
    const common = others[0] ?? "";
    const scores = tfIdfScores([...facts.map(({ fact }) => `${common} ${fact}`), common]);
    expect(Math.min(...scores.slice(0, -1))).toBeGreaterThan(scores.at(-1) ?? 0);
  });

  it("a prohibition and a demand are rules, and talk is not", () => {
    expect(rules.map((rule) => hasRuleWord(rule))).toEqual([true, true]);
    expect(others.filter((other) => hasRuleWord(other))).toEqual([]);
  });
});
