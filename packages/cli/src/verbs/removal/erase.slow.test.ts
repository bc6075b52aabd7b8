import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { MemorySaver } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { unfold } from "@palimpsest/context";
import { DirectoryDriver } from "@palimpsest/vfs";
import { afterAll, expect, it } from "vitest";
import {
  commonEnd,
  erasedImage,
  hosts,
  plantThread,
  rawForms,
  secretsFor,
  type Host,
} from "../../testing/planted-thread.js";
import { newSchema, query } from "../../testing/postgres-schema.js";
import { newPath, removePaths } from "../../testing/written-storage.js";

afterAll(removePaths);

/** PALIMPSEST_ERASED_THREADS=25 plants a thousand texts, which takes some minutes. */
const threads = Number(process.env["PALIMPSEST_ERASED_THREADS"] ?? 5);
const perThread = 40;

/** A storage, and the directory with all of its bytes. */
interface Storage {
  readonly saver: VfsSaver;
  readonly directory: string;
  /** What an operator does after the erasure. */
  readonly finish?: () => Promise<void>;
}

const storages: Readonly<Record<string, () => Promise<Storage>>> = {
  SQLite: async () => {
    const directory = newPath("storage");
    mkdirSync(directory);
    return { directory, saver: VfsSaver.fromPath(join(directory, "agent.db"), { compress: false }) };
  },
  "a directory": async () => {
    const directory = newPath("files");
    const blobs = new DirectoryDriver(directory);
    return { directory, saver: VfsSaver.wrap(new MemorySaver(), { blobs, compress: false }) };
  },
  Postgres: async () => {
    const url = await newSchema();
    const [{ data_directory: directory } = {}] = await query(url, "SHOW data_directory");
    await query(url, "ALTER SYSTEM SET wal_recycle = off");
    await query(url, "SELECT pg_reload_conf()");
    const finish = async () => {
      // A segment goes with the second checkpoint that does not need it.
      for (let time = 0; time < 3; time++) {
        await query(url, "SELECT txid_current(), pg_switch_wal()");
        await query(url, "CHECKPOINT");
      }
    };
    const saver = await VfsSaver.fromPostgres(url, { compress: false });
    return { directory: String(directory), saver, finish };
  },
};

function* filesBelow(directory: string): Generator<string> {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) yield* filesBelow(path);
    else yield path;
  }
}

/** Returns how often what all texts end with stands in the bytes of a directory. */
function found(directory: string): number {
  let count = 0;
  for (const path of filesBelow(directory)) {
    const bytes = readFileSync(path);
    for (const form of rawForms(commonEnd))
      for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + 1)) count += 1;
  }
  return count;
}

it.each(Object.keys(storages))(
  "of planted texts no byte is left in %s, and everything else unfolds",
  async (name) => {
    const { saver, directory, finish } = await storages[name]!();
    const names = Object.keys(hosts) as Host[];
    const said = new Map<string, Awaited<ReturnType<typeof plantThread>>>();
    for (let at = 0; at < threads; at++) {
      const host = names[at % names.length] ?? "compactionNode";
      const planted = secretsFor(perThread, at * perThread);
      said.set(`t${at}`, await plantThread(saver, planted, { threadId: `t${at}`, host }));
    }
    await saver.copyThread("t0", "copy");
    said.set("copy", said.get("t0") ?? []);
    const planted = secretsFor(threads * perThread);
    expect(found(directory)).toBeGreaterThan(planted.length);
    const match = planted.map(({ secret }) => secret);
    const { tombstone, threads: erased, failed } = await saver.erase({ match, reason: "asked" });
    expect([erased.length, failed]).toEqual([threads + 1, []]);
    await finish?.();
    expect(found(directory)).toBe(0);
    for (const [threadId, messages] of said) {
      const back = [];
      for await (const message of saver.readThread({ configurable: { thread_id: threadId } }, { unfold }))
        back.push(message);
      const own = threadId === "copy" ? planted.slice(0, perThread) : planted;
      expect(back.map((message) => erasedImage(message, own, tombstone))).toEqual(
        messages.map((message) => erasedImage(message, planted, tombstone)),
      );
    }
    await saver.close();
  },
  1_200_000,
);
