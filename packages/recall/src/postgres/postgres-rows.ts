import type { PassageFilter, StoredPassage } from "../passage.js";
import type { Row } from "./postgres-pool.js";

/** Returns a filter, all but its thread, as SQL over `passages p`, with its values from number `from` on; "" for none. Pure. */
export function conditions(
  { kind, path, steps }: PassageFilter,
  from: number,
): { readonly where: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const next = (value: unknown): string => `$${from - 1 + values.push(value)}`;
  let where = "";
  if (kind !== undefined) where += ` AND p.kind = ${next(bytes(kind))}`;
  if (path !== undefined) {
    const start = next(bytes(path));
    where += ` AND substring(p.path from 1 for octet_length(${start}::bytea)) = ${start}`;
  }
  if (steps !== undefined) where += ` AND p.step BETWEEN ${next(steps[0])} AND ${next(steps[1])}`;
  return { where, values };
}

export function toPassage({ id, path, line, kind, step, text }: Row, thread: string): StoredPassage {
  return {
    id: Number(id),
    thread,
    path: textOf(path),
    line: Number(line),
    kind: textOf(kind),
    text: textOf(text),
    ...(step === null ? {} : { step: Number(step) }),
  };
}

/** Returns a text as it is stored. Pure. */
export function bytes(text: string): Buffer {
  return Buffer.from(text);
}

/** Returns the text of stored bytes. Pure. */
export function textOf(stored: unknown): string {
  return (stored as Buffer).toString();
}
