import type { PostgresClient } from "@palimpsest/sql";
import type { PassageFilter, ScoredId } from "../../passage.js";
import { frequentFrom, maxRanked, rarest, questionsRemembered } from "../../words/ranking.js";
import type { CountedTerm } from "../../words/ranking.js";
import { questionTerms } from "../../words/terms.js";
import { digestOf, idsPerThread } from "../passage-store.js";
import { conditions, lexemeOf, maxRepeats } from "./postgres-rows.js";

/** The most terms of a question that are counted. Of a longer question, the first ones. */
const maxCounted = 256;
/** The most frequent terms whose counts are cached. */
const maxRemembered = 20_000;
/** The newest passages scanned for a term that is in more than 5,000 passages, when there is no filter; and a block of them. */
const maxLookedAt = 20_000;
const blockSize = 500;
const k1 = 1.2;
const b = 0.75;
/** The limit of the sum of 1/n², by which `ts_rank` divides. */
const rankSumLimit = 1.64493406685;
const thresholds = rankThresholds(maxRepeats);

/** The totals of a thread. */
interface Totals {
  readonly no: number;
  /** Id of its newest passage. */
  readonly newest: number;
  readonly passages: number;
  readonly words: number;
}

/** Ranks passages by words (BM25, k1 1.2, b 0.75). A GIN index finds the terms; the counts of the thread give the scores. */
export class PostgresRanking {
  readonly #client: PostgresClient;
  readonly #frequent = new Map<string, number>();
  #questions = 0;

  constructor(client: PostgresClient) {
    this.#client = client;
  }

  /**
   * Returns the best passages, best first. When even the rarest term is frequent, ranks the newest 5,000 passages with it;
   * without a filter, only those among the newest 20,000 passages of the thread.
   */
  async rank(query: string, filter: PassageFilter, limit: number): Promise<ScoredId[]> {
    if (++this.#questions % questionsRemembered === 0) this.#forget();
    const totals = await this.#totalsOf(filter.thread);
    const terms = questionTerms(query).slice(0, maxCounted);
    if (totals === undefined || terms.length === 0) return [];
    const chosen = rarest(await this.#counted(terms.map((term) => lexemeOf(totals.no, term))));
    return chosen.length === 0 ? [] : this.#score(chosen, totals, { filter, limit });
  }

  /** Keeps terms that are in more than 5,000 passages: a thread only grows, so they stay frequent. */
  #forget(): void {
    const all = this.#frequent.size > maxRemembered;
    for (const [lexeme, count] of this.#frequent)
      if (all || count <= maxRanked) this.#frequent.delete(lexeme);
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

  /** Returns the number of passages with each term, capped at one more than are ranked. */
  async #counted(lexemes: readonly string[]): Promise<readonly CountedTerm[]> {
    const unknown = lexemes.filter((lexeme) => !this.#frequent.has(lexeme));
    const { rows } = await this.#client.query(
      `SELECT lexeme, (SELECT count(*) FROM (SELECT 1 FROM palimpsest_recall_words
          WHERE words @@ query LIMIT ${maxRanked + 1}) AS found) AS count
        FROM unnest($1::text[], $2::tsquery[]) AS asked(lexeme, query)`,
      [unknown, unknown.map((lexeme) => `'${lexeme}'`)],
    );
    const counts = new Map(rows.map(({ lexeme, count }) => [String(lexeme), Number(count)]));
    for (const [lexeme, count] of counts) if (count > frequentFrom) this.#frequent.set(lexeme, count);
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
    const isFrequent = terms.some(({ count }) => count > maxRanked);
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

/** Returns the SQL that finds all passages with a term through the index. Pure. */
function holds(passes: string): string {
  return `SELECT w.id, w.size, w.words FROM palimpsest_recall_words w WHERE w.words @@ query${passes}`;
}

/**
 * Returns the SQL that finds passages with a term without the index, for a question whose terms are all too frequent. Scans
 * blocks from the newest passage back until it has found enough passages or, without a filter, has scanned enough.
 * `OFFSET 0` makes Postgres read each block by its ids. Pure.
 */
function amongNewest({ no, newest }: Totals, passes: string): string {
  const first = no * idsPerThread;
  const last = passes === "" ? Math.max(first, newest - maxLookedAt) : first;
  return `SELECT w.* FROM generate_series(${newest}, ${last}, ${-blockSize}) AS upto,
    LATERAL (SELECT id, size, words FROM palimpsest_recall_words
      WHERE id > upto - ${blockSize} AND id <= upto OFFSET 0) AS w
    WHERE w.words @@ query${passes} LIMIT ${maxRanked}`;
}

/** Returns the inverse document frequency as SQLite's FTS5 computes it: never 0, so that frequent terms match too. Pure. */
function idf(passages: number, count: number): number {
  return Math.max(1e-6, Math.log((passages - count + 0.5) / (count + 0.5)));
}

/**
 * Returns the `ts_rank` thresholds for one, two, … occurrences of a term, for `width_bucket`. Postgres has no function for
 * the number of occurrences, but the rank of a single term is the sum of 1/n² up to that number. Pure.
 */
export function rankThresholds(most: number): number[] {
  let sum = 0;
  return Array.from({ length: most }, (_, at) => {
    const next = 1 / (at + 1) ** 2;
    sum += next;
    return (sum - next / 2) / rankSumLimit;
  });
}
