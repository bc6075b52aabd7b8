import type { Sqlite } from "@palimpsest/sql";
import type { PassageFilter, StoredPassage } from "../../passage.js";
import { rangeOf } from "../passage-store.js";
import type { IdRange } from "../passage-store.js";

/** A row without bytes. */
export type PlainRow = Readonly<Record<string, string | number | null>>;

/** Returns the id range of a thread, or undefined for an unknown thread. */
export function idsOf(database: Sqlite, thread: string): IdRange | undefined {
  const no = database.get("SELECT no FROM thread WHERE name = ?", thread)?.["no"];
  return no === undefined ? undefined : rangeOf(Number(no));
}

/** Returns the id range of a thread. A new thread gets ids that no thread has had. Runs inside a writing transaction. */
export function newIdsOf(database: Sqlite, thread: string): IdRange {
  database.run("INSERT OR IGNORE INTO thread(name) VALUES (?)", thread);
  return idsOf(database, thread) ?? rangeOf(0);
}

/** Returns a filter without its thread as SQL conditions on `passage p`, with their values; "" for an empty filter. */
export function conditions({ kind, path, steps }: PassageFilter): {
  readonly where: string;
  readonly values: readonly (string | number)[];
} {
  const parts: [string, ...(string | number)[]][] = [];
  if (kind !== undefined) parts.push(["p.kind = ?", kind]);
  if (path !== undefined) parts.push(["substr(p.path, 1, length(?)) = ?", path, path]);
  if (steps !== undefined) parts.push(["p.step BETWEEN ? AND ?", ...steps]);
  return {
    where: parts.map(([sql]) => ` AND ${sql}`).join(""),
    values: parts.flatMap(([, ...values]) => values),
  };
}

export function toPassage({ id, path, line, kind, step, text }: PlainRow, thread: string): StoredPassage {
  return {
    id: Number(id),
    thread,
    path: String(path),
    line: Number(line),
    kind: String(kind),
    text: String(text),
    ...(step === null || step === undefined ? {} : { step: Number(step) }),
  };
}
