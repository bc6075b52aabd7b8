import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { contextState } from "@palimpsest/langgraph";
import type { Files } from "@palimpsest/vfs";
import Database from "libsql";
import { copyFileSync, readFileSync } from "node:fs";
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

/** A storage of which damaged copies are repaired. */
export class RepairStorage {
  readonly path = newPath();
  /** Ids by thread. */
  readonly #checkpoints = new Map<string, string[]>();
  /** Thread and path. */
  readonly archived: string[] = [];
  intact: Objects = new Map();

  static async write({ turns, steps }: RepairStorageOptions): Promise<RepairStorage> {
    const storage = new RepairStorage();
    const saver = VfsSaver.fromPath(storage.path);
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

  /** Returns the path of a copy after SQL statements. */
  damaged(...statements: readonly string[]): string {
    const copy = newPath("damaged.db");
    copyFileSync(this.path, copy);
    const database = new Database(copy);
    for (const sql of statements) database.exec(sql);
    database.close();
    return copy;
  }

  async objectsIn(file: string): Promise<Objects> {
    const saver = VfsSaver.fromPath(file, { readOnly: true });
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
}

export interface Repaired {
  readonly damage: readonly object[];
  readonly restored: readonly { readonly thread: string; readonly what: string; readonly from: string }[];
  readonly lost: readonly { readonly thread: string; readonly what: string; readonly error: string }[];
}

/** Repairs a file. Throws when that changes the file. */
export async function repaired(
  file: string,
): Promise<Repaired & { readonly copy: string; readonly code: number }> {
  const [copy, before] = [newPath("repaired.db"), readFileSync(file)];
  const { code, out, err } = await run("verify", file, "--repair", copy, "--json");
  if (err.includes("palimpsest:")) throw new Error(err);
  if (!readFileSync(file).equals(before)) throw new Error(`${file} was changed`);
  return { ...(JSON.parse(out) as Repaired), copy, code };
}
