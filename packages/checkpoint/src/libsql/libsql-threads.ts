import { randomInt } from "node:crypto";
import { textOf } from "./text-of.js";
import type { LibsqlDatabase } from "./libsql-database.js";

export interface ThreadRow {
  readonly id: number;
  /** Changes whenever blobs of the thread may have been collected. Random, so that none comes twice. */
  readonly epoch: string;
}

const epochs = 2 ** 47;

/** Threads and their checkpoint namespaces, by short numbers. */
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
    const { id } = this.#database.run(
      "INSERT INTO spaces (thread, name, epoch) VALUES (?, '', ?)",
      name,
      epoch,
    );
    return { id, epoch: `${epoch}` };
  }

  nextEpoch(thread: number): void {
    this.#database.run("UPDATE spaces SET epoch = ? WHERE id = ?", randomInt(epochs), thread);
  }

  findSpace(thread: string, namespace: string): number | undefined {
    const row = this.#database.get("SELECT id FROM spaces WHERE thread = ? AND name = ?", thread, namespace);
    return row && Number(row["id"]);
  }

  space(thread: string, namespace: string): number {
    const known = this.findSpace(thread, namespace);
    return (
      known ?? this.#database.run("INSERT INTO spaces (thread, name) VALUES (?, ?)", thread, namespace).id
    );
  }

  spaces(thread: string): (readonly [number, string])[] {
    const rows = this.#database.all("SELECT id, name FROM spaces WHERE thread = ?", thread);
    return rows.map((row) => [Number(row["id"]), textOf(row["name"])]);
  }

  /** Deletes a thread with its checkpoints and writes; its blobs stay. */
  delete(thread: string): void {
    const spaces = "(SELECT id FROM spaces WHERE thread = ?)";
    this.#database.run(`DELETE FROM checkpoints WHERE space IN ${spaces}`, thread);
    this.#database.run(`DELETE FROM writes WHERE space IN ${spaces}`, thread);
    this.#database.run("DELETE FROM spaces WHERE thread = ?", thread);
  }
}
