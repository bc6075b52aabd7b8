import type { Sqlite } from "@palimpsest/sql";
import type { PassageFilter, StoredPassage } from "../../passage.js";
import { digestOf, rangeOf } from "../passage-store.js";
import type { IdRange } from "../passage-store.js";

/** A row without texts. */
export type PlainRow = Readonly<Record<string, string | number | null>>;

/** Columns that were read with {@link blobColumn}. */
export type TextRow<Name extends string> = Readonly<Record<Name, ArrayBuffer | Uint8Array | null>>;

/** Returns the expression for a column of text. The driver ends the process when a stored text is not UTF-8. Pure. */
export const blobColumn = (name: string): string => `CAST(${name} AS BLOB) AS ${name}`;

/** Returns the text of a column that was read with {@link blobColumn}; what is not UTF-8 as replacement characters. Pure. */
export function textOf(bytes: ArrayBuffer | Uint8Array | null): string {
  return bytes === null ? "" : Buffer.from(new Uint8Array(bytes)).toString();
}

/** A text of the index is not what was stored. */
export class DamagedText extends Error {}

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
export function conditions({ kind, path, except = [], steps }: PassageFilter): {
  readonly where: string;
  readonly values: readonly (string | number)[];
} {
  const parts: [string, ...(string | number)[]][] = [];
  if (kind !== undefined) parts.push(["p.kind = ?", kind]);
  if (path !== undefined) parts.push(["substr(p.path, 1, length(?)) = ?", path, path]);
  for (const prefix of except) parts.push(["substr(p.path, 1, length(?)) <> ?", prefix, prefix]);
  if (steps !== undefined) parts.push(["p.step BETWEEN ? AND ?", ...steps]);
  return {
    where: parts.map(([sql]) => ` AND ${sql}`).join(""),
    values: parts.flatMap(([, ...values]) => values),
  };
}

type PassageRow = PlainRow & TextRow<"path" | "kind" | "text" | "digest">;

/** The columns of {@link toPassage}. */
export const passageColumns = `id, line, step, ${["path", "kind", "text", "digest"].map(blobColumn).join(", ")}`;

/** Returns the passage of a row. Throws DamagedText when the text does not have its digest. Pure. */
export function toPassage(row: PassageRow, thread: string): StoredPassage {
  const { id, line, step } = row as PlainRow;
  const text = textOf(row.text);
  if (digestOf(text) !== textOf(row.digest)) throw new DamagedText(`The text of passage ${id} is damaged`);
  return {
    id: Number(id),
    thread,
    path: textOf(row.path),
    line: Number(line),
    kind: textOf(row.kind),
    text,
    ...(step === null || step === undefined ? {} : { step: Number(step) }),
  };
}
