import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { RowName, TargetedRow } from "../row.js";

export interface RowLog {
  /** Returns the row of an earlier run. */
  readonly get: (name: RowName) => TargetedRow | undefined;
  /** Keeps a row at once: what is paid for once is not paid for again. */
  readonly add: (row: TargetedRow) => void;
}

/** Returns the rows that a file holds, one a line. A line that a stop cut short is passed over. */
export function rowLog(path: string): RowLog {
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const rows = new Map(
    text
      .split("\n")
      .flatMap(rowIn)
      .map((row) => [keyOf(row), row]),
  );
  let before = text === "" || text.endsWith("\n") ? "" : "\n";
  return {
    get: (name) => rows.get(keyOf(name)),
    add(row) {
      mkdirSync(dirname(path), { recursive: true });
      appendFileSync(path, `${before}${JSON.stringify(row)}\n`);
      before = "";
    },
  };
}

function keyOf({ task, system, player, repetition }: RowName): string {
  return JSON.stringify([player, task, system, repetition]);
}

function rowIn(line: string): readonly TargetedRow[] {
  try {
    return [JSON.parse(line) as TargetedRow];
  } catch {
    return [];
  }
}
