import type { Postgres, PostgresClient } from "@palimpsest/sql";
import type { Passage, PassageFilter, ScoredId, StoredPassage } from "../../passage.js";
import { RecallError } from "../../recall-error.js";
import { byThread, digestOf, idsPerThread, rangeOf } from "../passage-store.js";
import type { FilePassages, IdRange, PassageStore, StoredVectors } from "../passage-store.js";
import { insertFiles, insertPassages } from "./insert-passages.js";
import { PostgresRanking } from "./postgres-ranking.js";
import { conditions, textOf, toPassage } from "./postgres-rows.js";
import { PostgresVectors } from "./postgres-vectors.js";
import { isBroken, openTables } from "./tables.js";
import type { OpenPostgres } from "./tables.js";

/** Keeps an index in a Postgres database, for processes on any number of machines. Rebuilds lost or damaged tables. */
export class PostgresStore implements PassageStore {
  readonly vectors: StoredVectors;
  readonly #postgres: Postgres;
  readonly #ranking: PostgresRanking;
  readonly #onRebuilt: (error: unknown) => void;
  #birth: string;
  #closing: Promise<void> | undefined;

  constructor({ postgres, birth }: OpenPostgres, onRebuilt: (error: unknown) => void) {
    this.#postgres = postgres;
    this.#birth = birth;
    this.#onRebuilt = onRebuilt;
    const client: PostgresClient = {
      query: async (text, values) => this.#with(async () => postgres.query(text, values)),
      prepared: async (text, values) => this.#with(async () => postgres.prepared(text, values)),
    };
    this.vectors = new PostgresVectors(client);
    this.#ranking = new PostgresRanking(client);
  }

  async birth(): Promise<string> {
    return this.#birth;
  }

  async add(passages: readonly Passage[]): Promise<void> {
    await this.#write(passages, insertPassages);
  }

  async addFiles(files: readonly FilePassages[]): Promise<void> {
    await this.#write(files, insertFiles);
  }

  async missing(thread: string, paths: readonly string[]): Promise<string[]> {
    const digests = paths.map(digestOf);
    const rows = await this.#all(
      `SELECT file FROM palimpsest_recall_sources WHERE file = ANY($1)
        AND thread = (SELECT no FROM palimpsest_recall_threads WHERE name = $2)`,
      [digests, digestOf(thread)],
    );
    const there = new Set(rows.map(({ file }) => String(file)));
    return paths.filter((_, at) => !there.has(digests[at] ?? ""));
  }

  async rank(query: string, filter: PassageFilter, limit: number): Promise<ScoredId[]> {
    return this.#ranking.rank(query, filter, limit);
  }

  async idsOf(thread: string): Promise<IdRange | undefined> {
    const sql = "SELECT no FROM palimpsest_recall_threads WHERE name = $1";
    const [row] = await this.#all(sql, [digestOf(thread)]);
    return row && rangeOf(Number(row["no"]));
  }

  async paths(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const rows = await this.#all("SELECT id, path FROM palimpsest_recall_passages WHERE id = ANY($1)", [ids]);
    return new Map(rows.map(({ id, path }) => [Number(id), textOf(path)]));
  }

  async read(ids: readonly number[], filter: PassageFilter): Promise<StoredPassage[]> {
    const { where, values } = conditions(filter, 3);
    const rows = await this.#all(
      `SELECT id, path, line, kind, step, text FROM palimpsest_recall_passages p
        JOIN palimpsest_recall_threads ON name = $2 AND p.id / ${idsPerThread} = no
        WHERE p.id = ANY($1)${where}`,
      [ids, digestOf(filter.thread), ...values],
    );
    return rows.map((row) => toPassage(row, filter.thread));
  }

  async removeThread(thread: string): Promise<IdRange | undefined> {
    return this.#with(async () =>
      this.#postgres.transaction(async (client) => {
        const sql = "DELETE FROM palimpsest_recall_threads WHERE name = $1 RETURNING no";
        const [row] = (await client.query(sql, [digestOf(thread)])).rows;
        if (row === undefined) return undefined;
        const ids = rangeOf(Number(row["no"]));
        await client.query("DELETE FROM palimpsest_recall_words WHERE id BETWEEN $1 AND $2", [...ids]);
        await client.query(removePassages, [...ids]);
        for (const table of ["sources", "graphs"])
          await client.query(`DELETE FROM palimpsest_recall_${table} WHERE thread = $1`, [row["no"]]);
        return ids;
      }),
    );
  }

  async scrub(): Promise<void> {
    for (const table of ["passages", "words", "vectors"])
      await this.#with(async () => this.#postgres.query(`VACUUM FULL palimpsest_recall_${table}`));
    // The planner needs statistics of words, which are samples of them.
    await this.#postgres.query("ANALYZE palimpsest_recall_words");
    try {
      await this.#postgres.query("VACUUM FULL pg_statistic");
    } catch (cause) {
      const message =
        "The statistics of Postgres may hold words of deleted passages: run VACUUM FULL pg_statistic as a superuser.";
      throw new RecallError("denied", message, { cause });
    }
  }

  async size(): Promise<{ readonly rows: number; readonly bytes: number }> {
    const [counted] = await this.#all("SELECT count(*) AS rows FROM palimpsest_recall_passages", []);
    const [sized] = await this.#all(
      `SELECT coalesce(sum(pg_total_relation_size(to_regclass('palimpsest_recall_' || name))), 0) AS bytes
      FROM unnest($1::text[]) AS name`,
      [["threads", "sources", "passages", "words", "vectors", "graphs"]],
    );
    return { rows: Number(counted?.["rows"]), bytes: Number(sized?.["bytes"]) };
  }

  async close(): Promise<void> {
    await (this.#closing ??= this.#postgres.close());
  }

  /** Locks threads one by one in a fixed order, so that two processes cannot deadlock. */
  async #write<Item extends { readonly thread: string }>(
    items: readonly Item[],
    insert: (client: PostgresClient, name: string, own: readonly Item[]) => Promise<void>,
  ): Promise<void> {
    if (items.length === 0) return;
    const threads = [...byThread(items)].toSorted(([one], [other]) => (one < other ? -1 : 1));
    await this.#with(async () =>
      this.#postgres.transaction(async (client) => {
        for (const [thread, own] of threads) await insert(client, digestOf(thread), own);
      }),
    );
  }

  async #all(sql: string, values: unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.#with(async () => this.#postgres.query(sql, values))).rows;
  }

  /** Rebuilding loses nothing: the archive holds every text. */
  async #with<Result>(work: () => Promise<Result>): Promise<Result> {
    const birth = this.#birth;
    try {
      return await work();
    } catch (error) {
      if (!isBroken(error)) throw error;
      const made = await openTables(this.#postgres, birth);
      if (this.#birth === birth) {
        this.#birth = made;
        this.#onRebuilt(error);
      }
      return work();
    }
  }
}

/** Deletes passages, and the vectors of texts that no other passage has. */
const removePassages = `
  WITH gone AS (DELETE FROM palimpsest_recall_passages WHERE id BETWEEN $1 AND $2 RETURNING digest)
  DELETE FROM palimpsest_recall_vectors WHERE digest IN (SELECT digest FROM gone)
    AND digest NOT IN (SELECT digest FROM palimpsest_recall_passages WHERE id NOT BETWEEN $1 AND $2)`;
