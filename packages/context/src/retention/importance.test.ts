import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tfIdfScores } from "./importance.js";

const fact = "The staging database moved to port 5433 after the March outage; ask Ines before a failover.";
const chatter = [
  "I will read the next file and go on with the next step.",
  "I will read the file and then go on with the tests.",
  "The tests pass. I will go on with the next file.",
  "I will go on and read the tests in the next file.",
];
const rows = (count: number, row: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => row(at));
const dump = rows(400, (at) => `row ${at} host_${at} status running latency ${at * 37} region north`).join(
  "\n",
);
const hashes = rows(400, (at) => `${(at * 7919 + 11).toString(16)}f${at}c0ffee`).join("\n");
const log = rows(300, (at) => `INFO worker finished job ${at}`).join("\n");

/** Names of the texts, the highest score first. */
function order(texts: Readonly<Record<string, string>>): readonly string[] {
  const scores = tfIdfScores([...Object.values(texts), ...chatter]);
  const names = Object.keys(texts);
  return names.toSorted((a, b) => (scores[names.indexOf(b)] ?? 0) - (scores[names.indexOf(a)] ?? 0));
}

describe("the order of TF-IDF scores", () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ["a fact stands above a dump of 400 rows", { fact, dump }],
    ["a fact stands above 400 words that stand nowhere else", { fact, hashes }],
    ["a fact stands above a long log of one sentence", { fact, log }],
    ["a fact stands above one string of 50,000 characters", { fact, blob: "QmFzZTY0".repeat(6_250) }],
    ["a fact stands above the same fact at the end of a dump", { fact, buried: `${dump}\n${fact}` }],
    ["a fact stands above the same fact said ten times", { fact, repeated: `${fact} `.repeat(10) }],
    ["a fact stands above a lone rare word", { fact, lone: "Zyzzyva!" }],
    ["a fact stands above common words", { fact, common: chatter[0] ?? "" }],
    [
      "two facts in one message stand above common words of that length",
      {
        facts: `${fact} Invoices before 2019 live in the cold bucket, and only Marek can thaw them.`,
        common: chatter.join(" "),
      },
    ],
    [
      "of two texts of one length the rarer one stands above",
      {
        rarer: "Pelican quorum needs seven witnesses",
        commoner: "I will read the tests in seven files",
      },
    ],
  ])("%s", (_, texts) => {
    expect(order(texts)).toEqual(Object.keys(texts));
  });

  it("the score of a dump does not rise with its length", () => {
    const scores = [50, 400, 3_000].map(
      (count) =>
        tfIdfScores([fact, rows(count, (at) => `row ${at} host_${at} ok`).join("\n"), ...chatter])[1] ?? 0,
    );
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });
});

const word = fc.stringMatching(/^[a-z]{3,8}$/);
const text = fc.array(word, { minLength: 1, maxLength: 40 }).map((list) => list.join(" "));
const texts = fc.array(text, { minLength: 1, maxLength: 8 });

describe("TF-IDF scores", () => {
  it("TF-IDF scores are between 0 and 1 for any texts", () => {
    const any = fc.array(fc.string({ maxLength: 300, unit: "grapheme" }), { maxLength: 8 });
    fc.assert(fc.property(any, (list) => tfIdfScores(list).every((score) => score >= 0 && score <= 1)));
    expect(Math.max(...tfIdfScores([fact, dump]))).toBeGreaterThan(0);
    expect(tfIdfScores([])).toEqual([]);
  });

  it("the TF-IDF score of a text does not rise when the text is repeated", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 6 }), ([first = "", ...rest], times) => {
        const once = tfIdfScores([first, ...rest])[0] ?? 0;
        const often = tfIdfScores([Array.from({ length: times }, () => first).join(" "), ...rest])[0] ?? 0;
        expect(often).toBeLessThanOrEqual(once);
      }),
    );
  });

  it("the TF-IDF score of a text does not rise when it gains words that every text has", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 50 }), (list, times) => {
        const shared = list.map((one) => `${one} common`);
        const padded = [`${shared[0]}${" common".repeat(times)}`, ...shared.slice(1)];
        expect(tfIdfScores(padded)[0]).toBeLessThanOrEqual(tfIdfScores(shared)[0] ?? 0);
      }),
    );
  });

  it("the TF-IDF score of a text does not fall when a word is replaced by a rarer one", () => {
    fc.assert(
      fc.property(texts, (list) => {
        const shared = ["qqqqqqqq", ...list.map(() => "qqqqqqqq")].map(
          (one, at) => `${one} ${list[at] ?? ""}`,
        );
        const rarer = [shared[0]?.replace("qqqqqqqq", "zzzzzzzz") ?? "", ...shared.slice(1)];
        expect(tfIdfScores(rarer)[0]).toBeGreaterThanOrEqual(tfIdfScores(shared)[0] ?? 0);
      }),
    );
  });
});
