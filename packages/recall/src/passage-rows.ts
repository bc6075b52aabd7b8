import { createHash } from "node:crypto";
import type { PassageFilter, StoredPassage } from "./passage.js";

export type Row = Readonly<Record<string, string | number | null>>;

/** Returns a filter as SQL over `passage p`, with its values. */
export function conditions({ thread, kind, path, steps }: PassageFilter): {
  readonly where: string;
  readonly values: readonly (string | number)[];
} {
  const parts: [string, ...(string | number)[]][] = [["p.thread = ?", thread]];
  if (kind !== undefined) parts.push(["p.kind = ?", kind]);
  if (path !== undefined) parts.push(["substr(p.path, 1, length(?)) = ?", path, path]);
  if (steps !== undefined) parts.push(["p.step BETWEEN ? AND ?", ...steps]);
  return {
    where: parts.map(([sql]) => sql).join(" AND "),
    values: parts.flatMap(([, ...values]) => values),
  };
}

export function toPassage({ id, thread, path, line, kind, step, text }: Row): StoredPassage {
  return {
    id: Number(id),
    thread: String(thread),
    path: String(path),
    line: Number(line),
    kind: String(kind),
    text: String(text),
    ...(step === null || step === undefined ? {} : { step: Number(step) }),
  };
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** One word for a thread, whatever its id holds: it stands beside the words of its passages. */
export function scopeOf(thread: string): string {
  return createHash("sha256").update(thread).digest("hex").slice(0, 24);
}

/** Returns stored bytes as numbers; a copy, for the bytes may not be aligned. */
export function floats(bytes: ArrayBuffer | Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}
