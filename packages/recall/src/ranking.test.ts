import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rankThresholds } from "./stores/postgres/postgres-ranking.js";
import { maxRepeats } from "./stores/postgres/postgres-rows.js";
import { engines, newDatabase, runSql, servers } from "./testing/engines.js";
import type { Engine } from "./testing/engines.js";

const thread = "t";
const k1 = 1.2;
const b = 0.75;

const word = fc.constantFrom("heron", "marsh", "reed", "otter", "übung", "日本", "a.b", "x$y", "12");
const text = fc.array(fc.tuple(word, fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 6 });
const corpus = fc.array(text, { minLength: 3, maxLength: 12 });
const spelt = (parts: readonly (readonly [string, number])[]): string =>
  parts.map(([one, count]) => `${one} `.repeat(count)).join("");

/** BM25 of one term over texts of plain words, by its definition. */
function bm25(texts: readonly string[], asked: string): number[] {
  const words = texts.map((one) => one.trim().split(" "));
  const counts = words.map((one) => one.filter((each) => each === asked).length);
  const holding = counts.filter((count) => count > 0).length;
  const mean = words.reduce((sum, one) => sum + one.length, 0) / words.length;
  const idf = Math.max(1e-6, Math.log((words.length - holding + 0.5) / (holding + 0.5)));
  return counts.map((count, at) => {
    const length = (words[at]?.length ?? 0) / mean;
    return (idf * count * (k1 + 1)) / (count + k1 * (1 - b + b * length));
  });
}

function favourSecond(passages: readonly { readonly path: string }[]): readonly number[] {
  return passages.map(({ path }) => (path === "/1" ? 4 : 1));
}

function halfOfThree(passages: readonly unknown[]): number {
  return passages.length === 1 ? 0.5 : 0;
}

async function indexOf(engine: Engine, texts: readonly string[]) {
  const index = await engine.open(await engine.newPlace(), { neighbourShare: 0 });
  await index.add(texts.map((one, at) => ({ thread, path: `/${at}`, line: 1, text: one })));
  return index;
}

describe.each(engines)("the ranking in $name", (engine) => {
  it("scores by BM25 with k1 1.2 and b 0.75", async () => {
    const texts = [
      "heron marsh",
      "heron heron heron reed",
      "reed marsh otter reed",
      `${"otter ".repeat(300)}heron`,
    ];
    const index = await indexOf(engine, [...texts, ...Array<string>(8).fill("willow alder")]);
    for (const asked of ["heron", "reed", "otter"]) {
      const expected = bm25([...texts, ...Array<string>(8).fill("willow alder")], asked);
      const hits = await index.search(asked, { thread, limit: 20 });
      expect(hits).toHaveLength(expected.filter((score) => score > 0).length);
      for (const { path, score } of hits)
        expect(score).toBeCloseTo(expected[Number(path.slice(1))] ?? 0, asked === "otter" ? 1 : 5);
    }
    await index.close();
  });

  it("multiplies the word score of a passage by its weight", async () => {
    const index = await indexOf(engine, ["heron marsh", "heron marsh reed reed", "willow", "alder"]);
    const plain = await index.search("heron", { thread });
    const hits = await index.search("heron", { thread, weigh: favourSecond });
    expect(plain.map(({ path }) => path)).toEqual(["/0", "/1"]);
    expect(hits.map(({ path }) => path)).toEqual(["/1", "/0"]);
    expect(hits[0]?.score).toBeCloseTo(4 * (plain[1]?.score ?? 0), 6);
    await index.close();
  });

  it("gives neighbours the share that a search asks for, from the passages that match", async () => {
    const index = await engine.open(await engine.newPlace(), { neighbourShare: 0 });
    const texts = ["willow", "heron marsh", "alder"];
    await index.add(texts.map((one, at) => ({ thread, path: "/file", line: at + 1, text: one })));
    const hits = await index.search("heron", { thread, neighbourShare: halfOfThree });
    expect(hits.map(({ line }) => line)).toEqual([2, 1, 3]);
    expect(hits[1]?.score).toBeCloseTo((hits[0]?.score ?? 0) / 2, 6);
    expect(await index.search("heron", { thread })).toHaveLength(1);
    await index.close();
  });

  it("puts the newest of passages that match equally first, if recency counts", async () => {
    const index = await indexOf(engine, ["heron marsh 1", "heron marsh 2", "heron marsh 3", "willow"]);
    const paths = async (recency: number) =>
      (await index.search("heron marsh", { thread, recency })).map(({ path }) => path);
    expect(await paths(0.1)).toEqual(["/2", "/1", "/0"]);
    expect(await paths(0)).toEqual(["/0", "/1", "/2"]);
    await index.close();
  });

  it("returns the scores of the in-memory index for any texts", async () => {
    const [memory] = engines;
    await fc.assert(
      fc.asyncProperty(corpus, fc.array(word, { minLength: 1, maxLength: 4 }), async (parts, asked) => {
        const texts = parts.map(spelt);
        const scores = async (one: Engine) => {
          const index = await indexOf(one, texts);
          const hits = await index.search(asked.join(" "), { thread, limit: 20 });
          await index.close();
          return new Map(hits.map(({ path, score }) => [path, Number(score.toPrecision(5))]));
        };
        expect(await scores(engine)).toEqual(await scores(memory ?? engine));
      }),
      { numRuns: 12 },
    );
  });

  it("ranks the newest passages with a term that is in more passages than are ranked", async () => {
    const index = await engine.open(await engine.newPlace(), { neighbourShare: 0 });
    const passages = Array.from({ length: 26_000 }, (_, at) => ({
      thread,
      path: `/${at}`,
      line: 1,
      text: at % 1_000 === 0 ? `heron ${"reed ".repeat(at / 1_000)}` : `heron otter-${at}`,
    }));
    await index.add(passages);
    expect(await index.search("heron", { thread })).toHaveLength(5);
    const [hit] = await index.search("heron reed", { thread });
    expect(hit?.path).toBe("/25000");
    const early = await index.search("heron", { thread, path: "/50", limit: 20 });
    expect(early).toHaveLength(20);
    expect(early.every(({ path }) => path.startsWith("/50"))).toBe(true);
    await index.close();
  });
});

describe.each(servers)("Postgres", (server) => {
  it("returns a rank from which the number of occurrences follows", async () => {
    const url = await newDatabase(server);
    const thresholds = `'{${rankThresholds(maxRepeats).join(",")}}'::float8[]`;
    const rows = await runSql(
      url,
      `SELECT n, width_bucket(ts_rank('{1,1,1,1}', ('a:' || array_to_string(ARRAY(SELECT generate_series(1, n)), ','))::tsvector,
        'a'::tsquery)::float8, ${thresholds}) AS found FROM generate_series(1, ${maxRepeats}) AS n`,
    );
    expect(rows).toHaveLength(maxRepeats);
    expect(rows.filter(({ n, found }) => n !== found)).toEqual([]);
  });
});
