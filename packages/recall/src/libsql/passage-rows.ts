import type { PassageFilter, StoredPassage } from "../passage.js";
import type { Row } from "./statements.js";

/** Returns a filter, all but its thread, as SQL over `passage p`, with its values; "" for none. */
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

export function toPassage({ id, path, line, kind, step, text }: Row, thread: string): StoredPassage {
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
