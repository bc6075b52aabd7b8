import type Database from "libsql";
import type { Passage, PassageFilter, ScoredId, StoredPassage } from "../../passage.js";
import { termsOf } from "../../words/terms.js";
import { byThread, digestOf, numberOf } from "../passage-store.js";
import type { FilePassages, IdRange } from "../passage-store.js";
import { conditions, idsOf, newIdsOf, Statements, toPassage } from "./statements.js";
import { VectorTable } from "./vector-table.js";
import { WordRanking } from "./word-ranking.js";

/** The passages and their words in one SQLite file. Each call that writes is one transaction. */
export class PassageTable {
  readonly vectors: VectorTable;
  readonly #statements: Statements;
  readonly #ranking: WordRanking;

  constructor(database: Database.Database) {
    this.#statements = new Statements(database);
    this.#ranking = new WordRanking(this.#statements);
    this.vectors = new VectorTable(this.#statements);
  }

  /** The id of these tables. Rebuilt tables have a new id. */
  get birth(): string {
    return String(this.#statements.get("SELECT id FROM birth")?.["id"]);
  }

  /** Adds the passages that are new, in one transaction. */
  add(passages: readonly Passage[]): void {
    if (passages.length === 0) return;
    this.#statements.write(() => {
      for (const [thread, own] of byThread(passages)) this.#insert(newIdsOf(this.#statements, thread), own);
    });
  }

  /** Adds all passages of each file that is new, and none of an indexed file. */
  addFiles(files: readonly FilePassages[]): void {
    if (files.length === 0) return;
    const source = "INSERT OR IGNORE INTO source(thread, path) VALUES (?, ?)";
    this.#statements.write(() => {
      for (const { thread, path, passages } of files) {
        const ids = newIdsOf(this.#statements, thread);
        if (this.#statements.run(source, numberOf(ids), path) > 0) this.#insert(ids, passages);
      }
    });
  }

  /** Returns the paths that are not indexed. An archive file is written once and indexed once. */
  missing(thread: string, paths: readonly string[]): string[] {
    return this.#statements
      .all(
        `SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM source
          WHERE thread = (SELECT no FROM thread WHERE name = ?) AND path = value)`,
        JSON.stringify(paths),
        thread,
      )
      .map(({ value }) => String(value));
  }

  /** Returns the best passages by words, best first. */
  rank(query: string, filter: PassageFilter, limit: number): ScoredId[] {
    const ids = idsOf(this.#statements, filter.thread);
    return ids === undefined ? [] : this.#ranking.rank(query, filter, { ids, limit });
  }

  /** Returns the ids that a thread's passages can have; undefined for an unknown thread. */
  idsOf(thread: string): IdRange | undefined {
    return idsOf(this.#statements, thread);
  }

  /** Returns the paths of the passages with these ids. */
  paths(ids: readonly number[]): ReadonlyMap<number, string> {
    const sql = "SELECT id, path FROM passage WHERE id IN (SELECT value FROM json_each(?))";
    const rows = this.#statements.all(sql, JSON.stringify(ids));
    return new Map(rows.map(({ id, path }) => [Number(id), String(path)]));
  }

  /** Returns the passages with these ids that pass the filter. */
  read(ids: readonly number[], filter: PassageFilter): StoredPassage[] {
    const range = idsOf(this.#statements, filter.thread);
    if (range === undefined) return [];
    const { where, values } = conditions(filter);
    return this.#statements
      .all(
        `SELECT id, path, line, kind, step, text FROM passage p
          WHERE p.id IN (SELECT value FROM json_each(?)) AND p.id BETWEEN ? AND ?${where}`,
        JSON.stringify(ids),
        ...range,
        ...values,
      )
      .map((row) => toPassage(row, filter.thread));
  }

  removeThread(thread: string): IdRange | undefined {
    return this.#statements.write(() => {
      const ids = idsOf(this.#statements, thread);
      if (ids === undefined) return undefined;
      this.#statements.run(
        "DELETE FROM lexicon WHERE rowid IN (SELECT id FROM passage WHERE id BETWEEN ? AND ?)",
        ...ids,
      );
      this.#statements.run("DELETE FROM passage WHERE id BETWEEN ? AND ?", ...ids);
      this.#statements.run("DELETE FROM source WHERE thread = ?", numberOf(ids));
      this.#statements.run("DELETE FROM graph WHERE thread = ?", numberOf(ids));
      this.#statements.run("DELETE FROM thread WHERE no = ?", numberOf(ids));
      this.#statements.run("DELETE FROM vector WHERE digest NOT IN (SELECT digest FROM passage)");
      return ids;
    });
  }

  close(): void {
    this.#statements.close();
  }

  #insert(ids: IdRange, passages: readonly Passage[]): void {
    const last = this.#statements.get("SELECT max(id) AS id FROM passage WHERE id BETWEEN ? AND ?", ...ids)?.[
      "id"
    ];
    let next = Number(last ?? ids[0] - 1) + 1;
    for (const { path, line, kind = "", step, text } of passages) {
      const added = this.#statements.run(
        `INSERT OR IGNORE INTO passage(id, thread, path, line, kind, step, text, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        next,
        numberOf(ids),
        path,
        line,
        kind,
        step ?? null,
        text,
        digestOf(text),
      );
      if (added === 0) continue;
      this.#statements.run("INSERT INTO lexicon(rowid, words) VALUES (?, ?)", next, termsOf(text).join(" "));
      next++;
    }
  }
}
