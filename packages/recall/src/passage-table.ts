import type Database from "libsql";
import { openTables } from "./open-tables.js";
import type { Passage, PassageFilter, StoredPassage } from "./passage.js";
import { conditions, digestOf, floats, scopeOf, toPassage, type Row } from "./passage-rows.js";
import { words } from "./words.js";

export interface ScoredId {
  readonly id: number;
  readonly score: number;
}

const columns = "id, thread, path, line, kind, step, text";
/** A query of more words is answered by the rarest of them: the frequent ones cost most and tell least. */
const mostWords = 24;
/** A word in a larger share of the passages is left out where the question has a rarer one. */
const commonShare = 0.02;
/** Up to so many passages no word is common. */
const fewPassages = 500;

/** The passages and their words in one SQLite file, ranked by its own full-text search (BM25, k1 1.2, b 0.75). */
export class PassageTable {
  readonly #database: Database.Database;
  readonly #frequency = new Map<string, number>();
  readonly #statements = new Map<string, Database.Statement>();
  #counted = 0;

  /** `path` is a file, or ":memory:". A file that is no index of ours, or a broken one, is made anew. */
  constructor(path: string) {
    this.#database = openTables(path);
  }

  /** Returns the ids of those that were not there yet, all written in one transaction. */
  add(passages: readonly Passage[]): number[] {
    if (passages.length === 0) return [];
    return this.#database.transaction(() => passages.flatMap((passage) => this.#insert(passage)))();
  }

  /** Returns those of the files that are not there: a file of the archive is written once, and indexed once. */
  missing(thread: string, paths: readonly string[]): string[] {
    return this.#all(
      "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT path FROM source WHERE thread = ?)",
      JSON.stringify(paths),
      thread,
    ).map(({ value }) => String(value));
  }

  /** Notes that all passages of the file are there. */
  finish(thread: string, path: string): void {
    this.#run("INSERT OR IGNORE INTO source(thread, path) VALUES (?, ?)", thread, path);
  }

  /** Returns the best by BM25, higher first. */
  rank(query: string, filter: PassageFilter, limit: number): ScoredId[] {
    const terms = this.#rarest([...new Set(words(query))]);
    if (terms.length === 0) return [];
    const match = `scope:"${scopeOf(filter.thread)}" AND words:(${terms.map((term) => `"${term}"`).join(" OR ")})`;
    const { where, values } = conditions(filter);
    return this.#all(
      `SELECT p.id, -bm25(lexicon, 0.0, 1.0) AS score FROM lexicon JOIN passage p ON p.id = lexicon.rowid
        WHERE lexicon MATCH ? AND ${where} ORDER BY score DESC, p.id LIMIT ?`,
      match,
      ...values,
      limit,
    ).map((row) => ({ id: Number(row["id"]), score: Number(row["score"]) }));
  }

  /** Returns the passages with these ids that pass the filter. */
  read(ids: readonly number[], filter: PassageFilter): StoredPassage[] {
    const { where, values } = conditions(filter);
    return this.#all(
      `SELECT ${columns} FROM passage p WHERE p.id IN (SELECT value FROM json_each(?)) AND ${where}`,
      JSON.stringify(ids),
      ...values,
    ).map(toPassage);
  }

  /** Returns passages of the thread whose text has no vector of this model yet, oldest first. */
  withoutVector(thread: string, model: string, limit: number): StoredPassage[] {
    return this.#all(
      `SELECT ${columns} FROM passage p WHERE thread = ?
        AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.model = ? AND v.digest = p.digest) ORDER BY id LIMIT ?`,
      thread,
      model,
      limit,
    ).map(toPassage);
  }

  /** Keeps the vector of a text: the same text is never embedded twice with one model. */
  addVector(model: string, text: string, vector: Float32Array): void {
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
    this.#statement("INSERT OR REPLACE INTO vector(model, digest, value) VALUES (?, ?, ?)").run([
      model,
      digestOf(text),
      bytes,
    ]);
  }

  /** Forgets every vector of a model. */
  removeVectors(model: string): void {
    this.#run("DELETE FROM vector WHERE model = ?", model);
  }

  /** Yields the vectors of a thread's passages after an id, in the order of the ids. */
  *vectors(thread: string, model: string, after: number): Generator<{ id: number; vector: Float32Array }> {
    const statement = this.#statement(
      `SELECT p.id, v.value FROM passage p JOIN vector v ON v.model = ? AND v.digest = p.digest
        WHERE p.thread = ? AND p.id > ? ORDER BY p.id LIMIT 1000`,
    );
    for (let last = after; ;) {
      const rows = statement.all([model, thread, last]) as { id: number; value: ArrayBuffer | Uint8Array }[];
      for (const { id, value } of rows) yield { id, vector: floats(value) };
      if (rows.length < 1_000) return;
      last = rows.at(-1)?.id ?? last;
    }
  }

  removeThread(thread: string): void {
    this.#database.transaction(() => {
      this.#run("DELETE FROM lexicon WHERE rowid IN (SELECT id FROM passage WHERE thread = ?)", thread);
      this.#run("DELETE FROM passage WHERE thread = ?", thread);
      this.#run("DELETE FROM source WHERE thread = ?", thread);
      this.#run("DELETE FROM vector WHERE digest NOT IN (SELECT digest FROM passage)");
    })();
  }

  close(): void {
    this.#database.close();
  }

  #insert({ thread, path, line, kind = "", step, text }: Passage): number[] {
    const digest = digestOf(text);
    const added = this.#statement(
      `INSERT OR IGNORE INTO passage(thread, path, line, kind, step, text, digest) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ).run([thread, path, line, kind, step ?? null, text, digest]);
    if (added.changes === 0) return [];
    const id = Number(added.lastInsertRowid);
    this.#run(
      "INSERT INTO lexicon(rowid, scope, words) VALUES (?, ?, ?)",
      id,
      scopeOf(thread),
      words(text).join(" "),
    );
    return [id];
  }

  #rarest(terms: readonly string[]): readonly string[] {
    const known = terms
      .map((term) => ({ term, count: this.#documents(term) }))
      .filter(({ count }) => count > 0);
    const sorted = known.toSorted((one, other) => one.count - other.count);
    const common = Math.max(fewPassages, this.#counted * commonShare);
    const telling = sorted.filter(({ count }, rank) => rank === 0 || count <= common);
    return telling.slice(0, mostWords).map(({ term }) => term);
  }

  /** How many passages hold a word; remembered until the table has grown by half. */
  #documents(term: string): number {
    const { size = 0 } = this.#get("SELECT max(id) AS size FROM passage") as { size?: number };
    if (size > this.#counted * 1.5) {
      this.#frequency.clear();
      this.#counted = size;
    }
    const known = this.#frequency.get(term);
    if (known !== undefined) return known;
    const counted = Number(this.#get("SELECT doc FROM frequency WHERE term = ?", term)?.["doc"] ?? 0);
    this.#frequency.set(term, counted);
    return counted;
  }

  #statement(sql: string): Database.Statement {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #run(sql: string, ...values: readonly (string | number)[]): void {
    this.#statement(sql).run(values);
  }

  #get(sql: string, ...values: readonly (string | number)[]): Row | undefined {
    return this.#statement(sql).get(values) as Row | undefined;
  }

  #all(sql: string, ...values: readonly (string | number)[]): Row[] {
    return this.#statement(sql).all(values) as Row[];
  }
}
