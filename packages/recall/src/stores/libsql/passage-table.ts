import type { Sqlite } from "@palimpsest/sql";
import type { Passage, PassageFilter, ScoredId, StoredPassage } from "../../passage.js";
import { termsOf } from "../../words/terms.js";
import { byThread, digestOf, numberOf } from "../passage-store.js";
import type { FilePassages, IdRange } from "../passage-store.js";
import {
  blobColumn,
  conditions,
  idsOf,
  newIdsOf,
  passageColumns,
  textOf,
  toPassage,
} from "./passage-rows.js";
import type { PlainRow, TextRow } from "./passage-rows.js";
import { VectorTable } from "./vector-table.js";
import { ownTerm, WordRanking } from "./word-ranking.js";

/** The number of a thread, and the id of its next passage. */
interface Places {
  readonly no: number;
  next: number;
}

/** The passages and their words in one SQLite file. Each call that writes is one transaction. */
export class PassageTable {
  readonly vectors: VectorTable;
  readonly #database: Sqlite;
  readonly #ranking: WordRanking;

  constructor(database: Sqlite) {
    this.#database = database;
    this.#ranking = new WordRanking(database);
    this.vectors = new VectorTable(database);
  }

  /** The id of these tables. Rebuilt tables have a new id. */
  get birth(): string {
    const [row] = this.#database.all<TextRow<"id">>(`SELECT ${blobColumn("id")} FROM birth`);
    return textOf(row?.id ?? null);
  }

  /** Adds the passages that are new, in one transaction. */
  add(passages: readonly Passage[]): void {
    if (passages.length === 0) return;
    this.#database.write(() => {
      for (const [thread, own] of byThread(passages)) this.#insert(this.#places(thread), own);
    });
  }

  /** Adds all passages of each file that is new, and none of an indexed file. */
  addFiles(files: readonly FilePassages[]): void {
    if (files.length === 0) return;
    const source = "INSERT OR IGNORE INTO source(thread, path) VALUES (?, ?)";
    this.#database.write(() => {
      for (const [thread, own] of byThread(files)) {
        const places = this.#places(thread);
        for (const { path, passages } of own)
          if (this.#database.run(source, places.no, path).changes > 0) this.#insert(places, passages);
      }
    });
  }

  /** Returns the paths that are not indexed. An archive file is written once and indexed once. */
  missing(thread: string, paths: readonly string[]): string[] {
    return this.#database
      .all<PlainRow>(
        `SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM source
          WHERE thread = (SELECT no FROM thread WHERE name = ?) AND path = value)`,
        JSON.stringify(paths),
        thread,
      )
      .map(({ value }) => String(value));
  }

  /** Returns the best passages by words, best first. */
  rank(query: string, filter: PassageFilter, limit: number): ScoredId[] {
    const ids = idsOf(this.#database, filter.thread);
    return ids === undefined ? [] : this.#ranking.rank(query, filter, { ids, limit });
  }

  /** Returns the ids that a thread's passages can have; undefined for an unknown thread. */
  idsOf(thread: string): IdRange | undefined {
    return idsOf(this.#database, thread);
  }

  /** Returns the paths of the passages with these ids. */
  paths(ids: readonly number[]): ReadonlyMap<number, string> {
    const sql = `SELECT id, ${blobColumn("path")} FROM passage WHERE id IN (SELECT value FROM json_each(?))`;
    const rows = this.#database.all<{ readonly id: number } & TextRow<"path">>(sql, JSON.stringify(ids));
    return new Map(rows.map(({ id, path }) => [id, textOf(path)]));
  }

  /** Returns the passages with these ids that pass the filter. */
  read(ids: readonly number[], filter: PassageFilter): StoredPassage[] {
    const range = idsOf(this.#database, filter.thread);
    if (range === undefined) return [];
    const { where, values } = conditions(filter);
    return this.#database
      .all<Parameters<typeof toPassage>[0]>(
        `SELECT ${passageColumns} FROM passage p
          WHERE p.id IN (SELECT value FROM json_each(?)) AND p.id BETWEEN ? AND ?${where}`,
        JSON.stringify(ids),
        ...range,
        ...values,
      )
      .map((row) => toPassage(row, filter.thread));
  }

  removeThread(thread: string): IdRange | undefined {
    return this.#database.write(() => {
      const ids = idsOf(this.#database, thread);
      if (ids === undefined) return undefined;
      this.#database.run(
        "DELETE FROM lexicon WHERE rowid IN (SELECT id FROM passage WHERE id BETWEEN ? AND ?)",
        ...ids,
      );
      this.#database.run("DELETE FROM passage WHERE id BETWEEN ? AND ?", ...ids);
      this.#database.run("DELETE FROM source WHERE thread = ?", numberOf(ids));
      this.#database.run("DELETE FROM graph WHERE thread = ?", numberOf(ids));
      this.#database.run("DELETE FROM thread WHERE no = ?", numberOf(ids));
      this.#database.run("DELETE FROM vector WHERE digest NOT IN (SELECT digest FROM passage)");
      return ids;
    });
  }

  /** Merges the word lists, which keep deleted words until then, and writes the file anew. */
  scrub(): void {
    this.#database.exec("INSERT INTO lexicon(lexicon) VALUES ('optimize')");
    this.#database.exec("VACUUM");
    this.#database.get("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  size(): { readonly rows: number; readonly bytes: number } {
    const numberIn = (sql: string, name: string) => Number(this.#database.get(sql)?.[name]);
    const pragma = (name: string) => numberIn(`PRAGMA ${name}`, name);
    const rows = numberIn("SELECT count(*) AS rows FROM passage", "rows");
    return { rows, bytes: pragma("page_count") * pragma("page_size") };
  }

  close(): void {
    this.#database.close();
  }

  /** Returns where a thread's new passages go. Runs inside a writing transaction. */
  #places(thread: string): Places {
    const ids = newIdsOf(this.#database, thread);
    const sql = "SELECT max(id) AS id FROM passage WHERE id BETWEEN ? AND ?";
    const last = this.#database.get(sql, ...ids)?.["id"];
    return { no: numberOf(ids), next: Number(last ?? ids[0] - 1) + 1 };
  }

  #insert(places: Places, passages: readonly Passage[]): void {
    let words = 0;
    for (const { path, line, kind = "", step, text } of passages) {
      const terms = termsOf(text);
      const { changes } = this.#database.run(
        `INSERT OR IGNORE INTO passage(id, thread, path, line, kind, step, size, text, digest)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        places.next,
        places.no,
        path,
        line,
        kind,
        step ?? null,
        terms.length,
        text,
        digestOf(text),
      );
      if (changes === 0) continue;
      this.#database.run(
        "INSERT INTO lexicon(rowid, words) VALUES (?, ?)",
        places.next,
        terms.map((term) => ownTerm(places.no, term)).join(" "),
      );
      places.next++;
      words += terms.length;
    }
    this.#database.run("UPDATE thread SET words = words + ? WHERE no = ?", words, places.no);
  }
}
