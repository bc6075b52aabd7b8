import { randomInt } from "node:crypto";
import { textOf } from "./columns.js";
import type { LibsqlDatabase } from "./libsql-database.js";

export interface ThreadRow {
  readonly id: number;
  /** Changes whenever blobs of the thread may have been collected. Random, so that a deleted and recreated thread has another. */
  readonly epoch: string;
}

const epochs = 2 ** 47;

/** Assigns numbers to threads and to their checkpoint namespaces. */
export class LibsqlThreads {
  readonly #database: LibsqlDatabase;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  find(name: string): ThreadRow | undefined {
    const row = this.#database.get("SELECT id, epoch FROM spaces WHERE thread = ? AND name = ''", name);
    return row && { id: Number(row["id"]), epoch: `${Number(row["epoch"])}` };
  }

  add(name: string): ThreadRow {
    const epoch = randomInt(epochs);
    return { id: this.#add(name, "", epoch), epoch: `${epoch}` };
  }

  nextEpoch(thread: string): void {
    const sql = "UPDATE spaces SET epoch = ? WHERE thread = ? AND name = ''";
    this.#database.run(sql, randomInt(epochs), thread);
  }

  findSpace(thread: string, namespace: string): number | undefined {
    const row = this.#database.get("SELECT id FROM spaces WHERE thread = ? AND name = ?", thread, namespace);
    return row && Number(row["id"]);
  }

  space(thread: string, namespace: string): number {
    return this.findSpace(thread, namespace) ?? this.#add(thread, namespace, null);
  }

  spaces(thread: string): (readonly [number, string])[] {
    const rows = this.#database.all("SELECT id, name FROM spaces WHERE thread = ?", thread);
    return rows.map((row) => [Number(row["id"]), textOf(row["name"])]);
  }

  /** Deletes a thread with its checkpoints and writes. Its blobs stay. */
  delete(thread: string): void {
    const spaces = "(SELECT id FROM spaces WHERE thread = ?)";
    this.#database.run(`DELETE FROM checkpoints WHERE space IN ${spaces}`, thread);
    this.#database.run(`DELETE FROM writes WHERE space IN ${spaces}`, thread);
    this.#database.run("DELETE FROM spaces WHERE thread = ?", thread);
    // Without threads nothing refers to an id: delete the counter too.
    const last = "NOT EXISTS (SELECT 1 FROM spaces WHERE thread <> '')";
    this.#database.run(`DELETE FROM spaces WHERE thread = '' AND ${last}`);
  }

  #add(thread: string, name: string, epoch: number | null): number {
    const counted = this.#database.get(
      "INSERT INTO spaces (thread, name, id) VALUES ('', '', 1) ON CONFLICT DO UPDATE SET id = id + 1 RETURNING id",
    );
    const id = Number(counted?.["id"]);
    const sql = "INSERT INTO spaces (thread, name, id, epoch) VALUES (?, ?, ?, ?)";
    this.#database.run(sql, thread, name, id, epoch);
    return id;
  }
}
