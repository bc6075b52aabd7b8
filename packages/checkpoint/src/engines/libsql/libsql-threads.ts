import { randomInt } from "node:crypto";
import type { SqliteRow } from "@palimpsest/sql";
import { checksumOf } from "../../codec/packing/checksum.js";
import { behindPrefix } from "../../collection/thread-range.js";
import type { OnDamage, ThreadRange } from "../../engine.js";
import { damagedPart } from "../packed-rows.js";
import { blobColumn, fromKey, keyColumn, numberColumn, textOf } from "./columns.js";
import type { LibsqlDatabase } from "./libsql-database.js";

/** A namespace of a thread. The one with the empty name is the thread itself. */
export interface SpaceRow {
  readonly threadId: string;
  readonly namespace: string;
  readonly id: number;
  /**
   * The epoch of the thread, which changes whenever its blobs may have been collected. Random, so that a deleted and recreated
   * thread has another.
   */
  readonly epoch: string;
  /** The id of the newest checkpoint; null when there is none. */
  readonly newest: string | null;
  /** How many checkpoints there are. */
  readonly checkpoints: number;
}

const epochs = 2 ** 47;

const columns = [
  ...["thread", "name"].map(blobColumn),
  ...["id", "epoch", "checkpoints", "sum"].map(numberColumn),
  keyColumn("newest"),
].join(", ");

/** Assigns numbers to threads and to their checkpoint namespaces. */
export class LibsqlThreads {
  readonly #database: LibsqlDatabase;
  #isChecked = false;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  /** Throws a CheckpointError "corrupt" when the row is damaged, or is missing and any row is damaged. */
  find(threadId: string, namespace = ""): SpaceRow | undefined {
    const sql = `SELECT ${columns} FROM spaces WHERE thread = ? AND name = ?`;
    const row = this.#database.get(sql, threadId, namespace);
    if (row) return spaceOf(row, threadId);
    this.#checkAll(threadId);
    return undefined;
  }

  add(name: string): SpaceRow {
    return this.#add(name, "", randomInt(epochs));
  }

  nextEpoch(thread: string): void {
    const sql = "UPDATE spaces SET epoch = ? WHERE thread = ? AND name = ''";
    this.#database.run(sql, randomInt(epochs), thread);
  }

  space(thread: string, namespace: string): SpaceRow {
    return this.find(thread, namespace) ?? this.#add(thread, namespace, null);
  }

  /** Returns namespaces, of all threads or of one, all or one by its name. */
  spaces({ threadId, namespace }: { readonly threadId?: string; readonly namespace?: string }): SpaceRow[] {
    this.#checkAll(threadId);
    // One condition for both cases could not use the index: the list of one thread would read the rows of all.
    const ofThread = threadId === undefined ? "" : "AND thread = ?";
    const rows = this.#database.all(
      `SELECT ${columns} FROM spaces WHERE thread <> '' ${ofThread} AND (? IS NULL OR name = ?) ORDER BY spaces.id`,
      ...(threadId === undefined ? [] : [threadId]),
      namespace ?? null,
      namespace ?? null,
    );
    return rows.map((row) => spaceOf(row, threadId));
  }

  /** Returns the ids of a range of threads, in order. */
  within({ prefix = "", after, limit }: ThreadRange): string[] {
    this.#checkAll(undefined);
    const end = behindPrefix(prefix);
    const bounds = [prefix, ...(end === undefined ? [] : [end]), ...(after === undefined ? [] : [after])];
    const rows = this.#database.all(
      `SELECT ${columns} FROM spaces WHERE thread <> '' AND name = '' AND thread >= ?
       ${end === undefined ? "" : "AND thread < ?"} ${after === undefined ? "" : "AND thread > ?"} ORDER BY thread LIMIT ?`,
      ...bounds,
      limit ?? -1,
    );
    return rows.map((row) => spaceOf(row, undefined).threadId);
  }

  /** Deletes a thread with its checkpoints and writes. Its blobs stay. */
  delete(thread: string): void {
    const spaces = "(SELECT id FROM spaces WHERE thread = ?)";
    this.#database.run(`DELETE FROM checkpoints WHERE space IN ${spaces}`, thread);
    this.#database.run(`DELETE FROM writes WHERE space IN ${spaces}`, thread);
    const { changes } = this.#database.run("DELETE FROM spaces WHERE thread = ?", thread);
    this.#database.run("UPDATE spaces SET checkpoints = checkpoints - ? WHERE thread = ''", changes);
    // Without threads nothing refers to an id: delete the counter too.
    const last = "NOT EXISTS (SELECT 1 FROM spaces WHERE thread <> '')";
    this.#database.run(`DELETE FROM spaces WHERE thread = '' AND ${last}`);
  }

  /**
   * Checks every row, once: a thread that was not found may be a row whose key is damaged. In the row that counts the ids,
   * `checkpoints` is the number of the other rows.
   */
  #checkAll(threadId: string | undefined): void {
    if (this.#isChecked) return;
    let counted: number | undefined;
    let others = 0;
    const damaged: string[] = [];
    // One row at a time: there may be a million.
    this.#database.forEach(`SELECT ${columns} FROM spaces`, (row) => {
      if (counted === undefined && textOf(row["thread"]) === "") {
        counted = Number(row["checkpoints"]);
        return;
      }
      others += 1;
      if (damaged.length === 0 && !isIntact(row)) damaged.push(textOf(row["thread"]));
    });
    const [first] = damaged;
    if (first !== undefined) throw damagedRow(threadId ?? first);
    if ((counted ?? 0) !== others) throw damagedRow(threadId);
    this.#isChecked = true;
  }

  /** Returns the namespaces, of all threads or of one, whose rows are intact, and reports the others. */
  intactSpaces(onDamage: OnDamage, threadId?: string): SpaceRow[] {
    const rows = this.#database.all(`SELECT ${columns} FROM spaces ORDER BY spaces.id`);
    const counter = rows.find((row) => textOf(row["thread"]) === "");
    const others = rows.filter((row) => row !== counter);
    const intact = others.flatMap((row) => {
      const name = textOf(row["thread"]);
      if (threadId !== undefined && name !== threadId) return [];
      try {
        return [spaceOf(row, name)];
      } catch (error) {
        onDamage({ threadId: name, error: error as Error });
        return [];
      }
    });
    const missing = Number(counter?.["checkpoints"] ?? 0) - others.length;
    // With a lower counter, a new thread would get the id of another.
    const isLow = others.some((row) => Number(row["id"]) > Number(counter?.["id"]));
    if ((missing !== 0 || isLow) && threadId === undefined) onDamage({ threadId: "", error: damagedRow("") });
    return intact;
  }

  #add(thread: string, name: string, epoch: number | null): SpaceRow {
    const counted = this.#database.get(
      `INSERT INTO spaces (thread, name, id, checkpoints) VALUES ('', '', 1, 1)
       ON CONFLICT DO UPDATE SET id = id + 1, checkpoints = checkpoints + 1 RETURNING id`,
    );
    const id = Number(counted?.["id"]);
    const sql = "INSERT INTO spaces (thread, name, id, epoch, checkpoints, sum) VALUES (?, ?, ?, ?, 0, ?)";
    this.#database.run(sql, thread, name, id, epoch, checksumOf([thread, name, id]));
    return { threadId: thread, namespace: name, id, epoch: `${epoch}`, newest: null, checkpoints: 0 };
  }
}

function isIntact(row: SqliteRow): boolean {
  return row["sum"] === checksumOf([textOf(row["thread"]), textOf(row["name"]), Number(row["id"])]);
}

function spaceOf(row: SqliteRow, threadId: string | undefined): SpaceRow {
  const thread = textOf(row["thread"]);
  if (!isIntact(row)) throw damagedRow(threadId ?? thread);
  return {
    threadId: thread,
    namespace: textOf(row["name"]),
    id: Number(row["id"]),
    epoch: `${Number(row["epoch"])}`,
    newest: fromKey(row["newest"]),
    checkpoints: Number(row["checkpoints"]),
  };
}

function damagedRow(threadId: string | undefined): Error {
  return damagedPart("The list of threads and namespaces, or the entry", threadId ?? "");
}
