import type { Sqlite } from "@palimpsest/sql";
import type { PassageFilter, ScoredId } from "../../passage.js";
import { frequentFrom, maxRanked, rarest, questionsRemembered } from "../../words/ranking.js";
import { questionTerms } from "../../words/terms.js";
import type { IdRange } from "../passage-store.js";
import { blobColumn, conditions, textOf } from "./passage-rows.js";
import type { PlainRow, TextRow } from "./passage-rows.js";

/** Ranks passages with the full-text search of SQLite (BM25, k1 1.2, b 0.75). */
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
    const asked = questionTerms(query);
    const counts = this.#passagesWith(asked);
    const terms = rarest(asked.map((term) => ({ term, count: counts.get(term) ?? 0 })));
    if (terms.length === 0) return [];
    const match = terms.map(({ term }) => `"${term}"`).join(" OR ");
    const { where, values } = conditions(filter);
    const passes =
      where === "" ? "" : `AND EXISTS (SELECT 1 FROM passage p WHERE p.id = lexicon.rowid${where})`;
    return this.#database
      .all<PlainRow>(
        `SELECT id, score FROM (SELECT rowid AS id, -bm25(lexicon) AS score FROM lexicon
          WHERE lexicon MATCH ? AND rowid BETWEEN ? AND ? ${passes} ORDER BY rowid DESC LIMIT ?)
          ORDER BY score DESC, id LIMIT ?`,
        match,
        ...ids,
        ...values,
        maxRanked,
        limit,
      )
      .map(({ id, score }) => ({ id: Number(id), score: Number(score) }));
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
