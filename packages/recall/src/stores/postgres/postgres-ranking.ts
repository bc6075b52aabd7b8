import type { PassageFilter, ScoredId } from "../../passage.js";
import { manyPassages, mostRanked, rarest, remembered } from "../../words/ranking.js";
import type { CountedTerm } from "../../words/ranking.js";
import { askedTerms } from "../../words/terms.js";
import { digestOf, idsPerThread } from "../passage-store.js";
import type { Client } from "./postgres-pool.js";
import { conditions, lexemeOf, mostRepeats } from "./postgres-rows.js";

/** Words of a question that are counted; of a longer one, the first. */
const mostCounted = 256;
/** Frequent words that are remembered. */
const mostFrequent = 20_000;
/** Passages that are looked at for a word that more than 5,000 hold, where no filter asks for others, and so many at once. */
const mostLookedAt = 20_000;
const blockSize = 500;
const k1 = 1.2;
const b = 0.75;
/** What `ts_rank` divides by: the limit of its sum. */
const rankSumLimit = 1.64493406685;
const thresholds = rankThresholds(mostRepeats);

/** What a thread has in all. */
interface Totals {
  readonly no: number;
  /** Id of its newest passage. */
  readonly newest: number;
  readonly passages: number;
  readonly words: number;
}

/** Ranks passages by their words (BM25, k1 1.2, b 0.75): the words are found by a GIN index and scored by its thread's counts. */
export class PostgresRanking {
  readonly #client: Client;
  readonly #frequent = new Map<string, number>();
  #questions = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Returns the best, higher first. Where even the rarest word is frequent, the newest 5,000 with it are ranked; without a
   * filter, of the newest 20,000 of the thread.
   */
  async rank(query: string, filter: PassageFilter, limit: number): Promise<ScoredId[]> {
    if (++this.#questions % remembered === 0) this.#forget();
    const totals = await this.#totalsOf(filter.thread);
    const terms = askedTerms(query).slice(0, mostCounted);
    if (totals === undefined || terms.length === 0) return [];
    const chosen = rarest(await this.#counted(terms.map((term) => lexemeOf(totals.no, term))));
    return chosen.length === 0 ? [] : this.#score(chosen, totals, { filter, limit });
  }

  /** A word that too many passages of a thread hold stays so: a thread only grows. */
  #forget(): void {
    const all = this.#frequent.size > mostFrequent;
    for (const [lexeme, count] of this.#frequent)
      if (all || count <= mostRanked) this.#frequent.delete(lexeme);
  }

  async #totalsOf(thread: string): Promise<Totals | undefined> {
    const sql = "SELECT no, last, passages, words FROM palimpsest_recall_threads WHERE name = $1";
    const [row] = (await this.#client.query(sql, [digestOf(thread)])).rows;
    if (row === undefined || Number(row["passages"]) === 0) return undefined;
    const no = Number(row["no"]);
    return {
      no,
      newest: no * idsPerThread + Number(row["last"]),
      passages: Number(row["passages"]),
      words: Number(row["words"]),
    };
  }

  /** One more than are ranked stands for any larger count. */
  async #counted(lexemes: readonly string[]): Promise<readonly CountedTerm[]> {
    const unknown = lexemes.filter((lexeme) => !this.#frequent.has(lexeme));
    const { rows } = await this.#client.query(
      `SELECT lexeme, (SELECT count(*) FROM (SELECT 1 FROM palimpsest_recall_words
          WHERE words @@ query LIMIT ${mostRanked + 1}) AS found) AS count
        FROM unnest($1::text[], $2::tsquery[]) AS asked(lexeme, query)`,
      [unknown, unknown.map((lexeme) => `'${lexeme}'`)],
    );
    const counts = new Map(rows.map(({ lexeme, count }) => [String(lexeme), Number(count)]));
    for (const [lexeme, count] of counts) if (count > manyPassages) this.#frequent.set(lexeme, count);
    return lexemes.map((term) => ({ term, count: this.#frequent.get(term) ?? counts.get(term) ?? 0 }));
  }

  async #score(
    terms: readonly CountedTerm[],
    totals: Totals,
    { filter, limit }: { readonly filter: PassageFilter; readonly limit: number },
  ): Promise<ScoredId[]> {
    const { passages, words } = totals;
    const { where, values } = conditions(filter, 6);
    const passes =
      where === ""
        ? ""
        : ` AND EXISTS (SELECT 1 FROM palimpsest_recall_passages p WHERE p.id = w.id${where})`;
    const isFrequent = terms.some(({ count }) => count > mostRanked);
    const holding = isFrequent ? amongNewest(totals, passes) : holds(passes);
    const score = `idf * tf * ${k1 + 1} / (tf + ${k1} * (1 - ${b} + ${b} * size / $3::float8))`;
    const { rows } = await this.#client.query(
      `SELECT id, ${isFrequent ? score : `sum(${score})`} AS score
        FROM (SELECT id, idf, size, width_bucket(ts_rank('{1,1,1,1}', words, query)::float8, $4::float8[]) AS tf
          FROM unnest($1::tsquery[], $2::float8[]) AS asked(query, idf), LATERAL (${holding}) AS found
          OFFSET 0) AS counted
        ${isFrequent ? "" : "GROUP BY id"} ORDER BY score DESC, id LIMIT $5`,
      [
        terms.map(({ term }) => `'${term}'`),
        terms.map(({ count }) => idf(passages, count)),
        words / passages,
        thresholds,
        limit,
        ...values,
      ],
    );
    return rows.map(({ id, score }) => ({ id: Number(id), score: Number(score) }));
  }
}

/** Through the index, which gives all passages that hold a word. */
function holds(passes: string): string {
  return `SELECT w.id, w.size, w.words FROM palimpsest_recall_words w WHERE w.words @@ query${passes}`;
}

/**
 * Without the index, for the one word of a question whose words are all in too many passages: block by block from the newest
 * passage back, until there are enough, or, where no filter asks for older ones, enough were looked at. `OFFSET 0` makes
 * each block be read by its ids.
 */
function amongNewest({ no, newest }: Totals, passes: string): string {
  const first = no * idsPerThread;
  const last = passes === "" ? Math.max(first, newest - mostLookedAt) : first;
  return `SELECT w.* FROM generate_series(${newest}, ${last}, ${-blockSize}) AS upto,
    LATERAL (SELECT id, size, words FROM palimpsest_recall_words
      WHERE id > upto - ${blockSize} AND id <= upto OFFSET 0) AS w
    WHERE w.words @@ query${passes} LIMIT ${mostRanked}`;
}

/** As the full-text search of SQLite has it: never 0, so that a passage with a frequent word is found too. */
function idf(passages: number, count: number): number {
  return Math.max(1e-6, Math.log((passages - count + 0.5) / (count + 0.5)));
}

/**
 * Returns from which `ts_rank` of a single word on a text has it once, twice and so on, for `width_bucket`: Postgres has no
 * function for how often a word stands in a text, and its rank is the sum of 1/n² up to that number. Pure.
 */
export function rankThresholds(most: number): number[] {
  let sum = 0;
  return Array.from({ length: most }, (_, at) => {
    const next = 1 / (at + 1) ** 2;
    sum += next;
    return (sum - next / 2) / rankSumLimit;
  });
}
