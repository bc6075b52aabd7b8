import type { Sqlite } from "@palimpsest/sql";
import type { PassageFilter, ScoredId } from "../../passage.js";
import { best, frequentFrom, maxRanked, rarest, questionsRemembered } from "../../words/ranking.js";
import type { CountedTerm } from "../../words/ranking.js";
import { questionTerms } from "../../words/terms.js";
import { numberOf } from "../passage-store.js";
import type { IdRange } from "../passage-store.js";
import { ownScore, varints, type Totals } from "./own-score.js";
import { blobColumn, conditions, textOf } from "./passage-rows.js";
import type { PlainRow, TextRow } from "./passage-rows.js";

/** Returns a term as the index holds it: with the number of its thread, so that each thread has words of its own. Pure. */
export function ownTerm(thread: number, term: string): string {
  return `${thread}:${term}`;
}

/** Ranks passages with the full-text search of SQLite, by the totals of their thread (BM25, k1 1.2, b 0.75). */
export class WordRanking {
  readonly #database: Sqlite;
  readonly #frequent = new Map<string, number>();
  #questions = 0;

  constructor(database: Sqlite) {
    this.#database = database;
  }

  /** Returns the best passages, best first. When even the rarest term is frequent, ranks the newest 5,000 passages with it. */
  rank(
    query: string,
    filter: PassageFilter,
    { ids, limit }: { readonly ids: IdRange; readonly limit: number },
  ): ScoredId[] {
    if (++this.#questions % questionsRemembered === 0) this.#frequent.clear();
    const asked = questionTerms(query).map((term) => ownTerm(numberOf(ids), term));
    const counts = this.#passagesWith(asked);
    const terms = rarest(asked.map((term) => ({ term, count: counts.get(term) ?? 0 })));
    if (terms.length === 0) return [];
    const all = this.#totals();
    const own = this.#totalsOf(ids);
    const scores = new Map<number, number>();
    for (const term of terms)
      for (const { id, size, score } of this.#found(term, filter))
        scores.set(id, (scores.get(id) ?? 0) + ownScore({ score, size, count: term.count }, all, own));
    return best(scores).slice(0, limit);
  }

  /** Returns the totals that SQLite weighs terms by. */
  #totals(): Totals {
    // The averages record of FTS5: the number of rows, then the number of terms in each column.
    const rows = this.#database.all<TextRow<"block">>("SELECT block FROM lexicon_data WHERE id = 1");
    const [passages = 0, words = 0] = varints(new Uint8Array(rows[0]?.block ?? []));
    return { passages, words };
  }

  /** The ids of a thread follow each other. */
  #totalsOf(ids: IdRange): Totals {
    const newest = this.#database.get("SELECT max(id) AS id FROM passage WHERE id BETWEEN ? AND ?", ...ids)?.[
      "id"
    ];
    const words = this.#database.get("SELECT words FROM thread WHERE no = ?", numberOf(ids))?.["words"];
    return { passages: Number(newest ?? ids[0]) - ids[0] + 1, words: Number(words) };
  }

  /** Returns the newest passages with a term that pass the filter, with their terms and SQLite's score. */
  #found({ term }: CountedTerm, filter: PassageFilter) {
    const { where, values } = conditions(filter);
    const passes =
      where === "" ? "" : `AND EXISTS (SELECT 1 FROM passage p WHERE p.id = lexicon.rowid${where})`;
    return this.#database
      .all<PlainRow>(
        `SELECT found.id, score, size FROM (SELECT rowid AS id, -bm25(lexicon) AS score FROM lexicon
          WHERE lexicon MATCH ? ${passes} ORDER BY rowid DESC LIMIT ?) AS found JOIN passage ON passage.id = found.id`,
        `"${term}"`,
        ...values,
        maxRanked,
      )
      .map(({ id, score, size }) => ({ id: Number(id), score: Number(score), size: Number(size) }));
  }

  /** Returns the number of passages with each term, for a frequent term possibly from the cache. */
  #passagesWith(terms: readonly string[]): ReadonlyMap<string, number> {
    const unknown = terms.filter((term) => !this.#frequent.has(term));
    const rows = this.#database.all<{ readonly doc: number } & TextRow<"term">>(
      `SELECT ${blobColumn("term")}, doc FROM frequency WHERE term IN (SELECT value FROM json_each(?))`,
      JSON.stringify(unknown),
    );
    const counts = new Map(rows.map(({ term, doc }) => [textOf(term), doc]));
    for (const [term, count] of counts) if (count > frequentFrom) this.#frequent.set(term, count);
    return new Map([...this.#frequent, ...counts]);
  }
}
