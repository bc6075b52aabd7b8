import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "libsql";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { VfsSaver } from "../src/index.js";
import { fillThreads } from "./many-threads/fill-threads.js";

/** A saver in the bench. */
export interface Subject {
  readonly saver: BaseCheckpointSaver;
  /** Closes the saver and returns everything that it stored, indexes and metadata included, in bytes. */
  readonly finish: () => Promise<number>;
  /** Returns for how many milliseconds the longest statement in the database waits for a lock now, where the storage tells. */
  readonly longestLockWait?: () => Promise<number>;
  /** Fills an empty storage with threads of so many steps, faster than the saver writes them, where that is known. */
  readonly fill?: (names: readonly string[], steps: number) => Promise<void>;
}

export type OpenSubject = () => Promise<Subject>;

/** Returns the savers to compare, with those on Postgres when there is a server. */
export function subjects(postgresUrl: string | undefined): Record<string, OpenSubject> {
  return {
    VfsSaver: async () => onFile((path) => VfsSaver.fromPath(path)),
    MemorySaver: async () => inMemory(),
    SqliteSaver: async () => onFile(sqliteSaver),
    ...(postgresUrl
      ? {
          "VfsSaver on Postgres": async () =>
            onPostgres(postgresUrl, async (url) => VfsSaver.fromPostgres(url)),
          PostgresSaver: async () => onPostgres(postgresUrl, postgresSaver),
        }
      : {}),
  };
}

/** Returns a saver on a new file, which `finish` deletes. */
export async function onFile(
  open: (path: string) => BaseCheckpointSaver & { close?: () => unknown },
): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
  const saver = open(join(directory, "bench.db"));
  const finish = async (): Promise<number> => {
    await saver.close?.();
    const sizes = readdirSync(directory).map((name) => statSync(join(directory, name)).size);
    rmSync(directory, { recursive: true });
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  return { saver, finish };
}

function sqliteSaver(path: string): BaseCheckpointSaver & { close: () => void } {
  const database = new Database(path);
  const saver = new SqliteSaver(database);
  const close = (): void => {
    database.pragma("wal_checkpoint(TRUNCATE)");
    database.close();
  };
  return Object.assign(saver, { close });
}

function inMemory(): Subject {
  const saver = new MemorySaver();
  const finish = async (): Promise<number> => bytesIn(saver.storage) + bytesIn(saver.writes);
  return { saver, finish };
}

function bytesIn(value: unknown): number {
  if (value instanceof Uint8Array) return value.length;
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, part]) => sum + key.length + bytesIn(part), 0);
}

async function postgresSaver(url: string): Promise<BaseCheckpointSaver & { close: () => Promise<void> }> {
  const saver = PostgresSaver.fromConnString(url);
  await saver.setup();
  return Object.assign(saver, { close: async () => saver.end() });
}

let databases = 0;

const relations =
  "SELECT sum(pg_total_relation_size(oid)) AS size FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'";

/** A wait that ended before it was looked at is not seen. */
const waits = `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start)), 0) * 1000 AS wait
  FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

async function onPostgres(
  url: string,
  open: (url: string) => Promise<BaseCheckpointSaver & { close: () => Promise<void> }>,
): Promise<Subject> {
  const name = `palimpsest_bench_${process.pid}_${databases++}`;
  await query(url, `CREATE DATABASE ${name}`);
  const database = new URL(url);
  database.pathname = `/${name}`;
  const saver = await open(database.href);
  const watcher = new Client({ connectionString: database.href });
  await watcher.connect();
  const longestLockWait = async (): Promise<number> => Number((await watcher.query(waits)).rows[0]?.["wait"]);
  const finish = async (): Promise<number> => {
    await watcher.end();
    const size = Number((await query(database.href, relations))[0]?.["size"]);
    await saver.close();
    // A connection that is still closing prevents the drop. The server belongs to the bench, so the database may stay.
    await query(url, `DROP DATABASE ${name}`).catch(() => undefined);
    return size;
  };
  const fill = async (names: readonly string[], steps: number): Promise<void> =>
    names.length === 0 ? undefined : fillThreads(database.href, names, steps);
  return { saver, finish, longestLockWait, ...(saver instanceof VfsSaver ? { fill } : {}) };
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
