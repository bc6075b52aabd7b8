import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { copyPostgres, VfsSaver } from "@palimpsest/checkpoint";
import { contextState } from "@palimpsest/langgraph";
import type { Files } from "@palimpsest/vfs";
import Database from "libsql";
import { copyFileSync, readFileSync } from "node:fs";
import { isPostgres } from "../open-storage.js";
import { newSchema, query } from "./postgres-schema.js";
import { run } from "./run.js";
import { newPath, writeThread } from "./written-storage.js";

const noteOf = (step: number): string => `note ${step}: ${"the heron waits ".repeat(40)}`;

/** Writes a thread whose agent writes a file at each step, with the content in the arguments of its call. */
export async function writeNotes(saver: VfsSaver, threadId: string, steps: number): Promise<void> {
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("agent", async ({ messages, files }) => {
      const at = messages.length;
      const [id, path, content] = [`call-${at}`, `/notes/${at % 5}.md`, noteOf(at)];
      const { workspace } = saver.files.thread(threadId, files);
      await workspace.write(path, content);
      const call = { id, name: "write_file", args: { path, content } };
      return {
        files: workspace.changes,
        messages: [
          new AIMessage({ id: `a${at}`, content: "", tool_calls: [call] }),
          new ToolMessage({ id: `t${at}`, tool_call_id: id, content: "written" }),
        ],
      };
    })
    .addEdge(START, "agent")
    .compile({ checkpointer: saver });
  for (let step = 0; step < steps; step++) {
    const messages = [new HumanMessage({ id: `h${step}`, content: `Step ${step}.` })];
    await graph.invoke({ messages }, { configurable: { thread_id: threadId } });
  }
}

/** The text of each checkpoint and archive file, or undefined where it is damaged. */
export type Objects = ReadonlyMap<string, string | undefined>;

export interface RepairStorageOptions {
  /** Of the thread "one", most of which is folded. */
  readonly turns: number;
  /** Of the thread "notes", which writes files. */
  readonly steps: number;
}

/** A storage whose damaged copies are repaired. */
export class RepairStorage {
  /** Of a SQLite file, or the url of a Postgres database. */
  readonly path: string;
  /** Ids by thread. */
  readonly #checkpoints = new Map<string, string[]>();
  /** Thread and path. */
  readonly archived: string[] = [];
  intact: Objects = new Map();

  private constructor(path: string) {
    this.path = path;
  }

  static async write(
    { turns, steps }: RepairStorageOptions,
    path: string = newPath(),
  ): Promise<RepairStorage> {
    const storage = new RepairStorage(path);
    const saver = await open(path);
    await writeThread(saver, "one", turns);
    await writeNotes(saver, "notes", steps);
    for (const thread of ["one", "notes"]) {
      const ids: string[] = [];
      for await (const { id } of saver.checkpoints(thread)) ids.push(id);
      storage.#checkpoints.set(thread, ids);
      for await (const entry of saver.files.archive(thread).list())
        storage.archived.push(`${thread} ${entry.path}`);
    }
    await saver.close();
    storage.intact = await storage.objectsIn(storage.path);
    return storage;
  }

  /** Returns the path of a copy of the file after SQL statements. */
  damaged(...statements: readonly string[]): string {
    const copy = newPath("damaged.db");
    copyFileSync(this.path, copy);
    const database = new Database(copy);
    for (const sql of statements) database.exec(sql);
    database.close();
    return copy;
  }

  /** Returns the url of a copy of the database after SQL statements. */
  async damagedDatabase(...statements: readonly string[]): Promise<string> {
    const copy = await newSchema();
    await copyPostgres(this.path, copy);
    for (const sql of statements) await query(copy, sql);
    return copy;
  }

  async objectsIn(storage: string): Promise<Objects> {
    const saver = await open(storage, { readOnly: true });
    const objects = new Map<string, string | undefined>();
    const add = async (name: string, read: () => Promise<unknown>): Promise<void> => {
      objects.set(name, await read().then(JSON.stringify, () => undefined));
    };
    for (const [thread, ids] of this.#checkpoints) {
      for (const id of ids) {
        await add(`${thread} ${id}`, async () => {
          const tuple = await saver.getTuple({ configurable: { thread_id: thread, checkpoint_id: id } });
          const files = (tuple?.checkpoint.channel_values["files"] ?? {}) as Files;
          const contents = Object.values(files).map(async ({ digest }) => saver.files.blobs.get(digest));
          return [tuple, (await Promise.all(contents)).map((bytes) => Buffer.from(bytes).toString())];
        });
      }
    }
    for (const name of this.archived) {
      const [thread = "", path = ""] = name.split(" ");
      await add(name, async () => Buffer.from(await saver.files.archive(thread).readBytes(path)).toString());
    }
    await saver.close();
    return objects;
  }

  /** Returns the names of objects that can be read and are not byte for byte what they were. */
  changed(objects: Objects): readonly string[] {
    return [...objects]
      .filter(([name, value]) => value !== undefined && value !== this.intact.get(name))
      .map(([name]) => name);
  }

  /** Returns the names of changed objects in a repaired copy, and of unreadable ones in threads without a reported loss. */
  async unnamedLosses({ copy, lost }: RepairedStorage): Promise<readonly string[]> {
    const objects = await this.objectsIn(copy);
    const named = new Set(lost.map(({ thread }) => thread));
    const unreadable = [...objects].filter(([, value]) => value === undefined).map(([name]) => name);
    return [...this.changed(objects), ...unreadable.filter((name) => !named.has(name.split(" ")[0] ?? ""))];
  }
}

export interface Repaired {
  readonly damage: readonly object[];
  readonly restored: readonly { readonly thread: string; readonly what: string; readonly from: string }[];
  readonly lost: readonly { readonly thread: string; readonly what: string; readonly error: string }[];
}

export interface RepairedStorage extends Repaired {
  readonly copy: string;
  readonly code: number;
}

/** Repairs a storage, with a backup where one is given. Throws when that changes the storage. */
export async function repaired(storage: string, from?: string): Promise<RepairedStorage> {
  const copy = isPostgres(storage) ? await newSchema() : newPath("repaired.db");
  const before = await contentOf(storage);
  const backup = from === undefined ? [] : ["--from", from];
  const { code, out, err } = await run("verify", storage, "--repair", copy, ...backup, "--json");
  if (err.includes("palimpsest:")) throw new Error(err);
  if ((await contentOf(storage)) !== before) throw new Error(`${storage} was changed`);
  return { ...(JSON.parse(out) as Repaired), copy, code };
}

async function contentOf(storage: string): Promise<string> {
  if (!isPostgres(storage)) return readFileSync(storage, "base64");
  const tables = ["threads", "entries", "files", "chunks"].map((name) => `palimpsest_${name}`);
  const digests = tables.map(
    (name) => `SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM ${name} AS t`,
  );
  return JSON.stringify(await query(storage, digests.join(" UNION ALL ")));
}

async function open(storage: string, options = {}): Promise<VfsSaver> {
  return isPostgres(storage) ? VfsSaver.fromPostgres(storage, options) : VfsSaver.fromPath(storage, options);
}
