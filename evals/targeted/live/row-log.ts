import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { rowKey, type TargetedRow } from "../row.js";

export interface RowLog {
  /** Returns the row of an earlier run. */
  readonly get: (key: string) => TargetedRow | undefined;
  /** Keeps a row at once: what is paid for once is not paid for again. */
  readonly add: (row: TargetedRow) => void;
}

/** Returns the rows that a file holds, one a line. A line that a stop cut short is passed over. */
export function rowLog(path: string): RowLog {
  const rows = new Map<string, TargetedRow>();
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  for (const line of lines) {
    const row = parse(line);
    if (row !== undefined) rows.set(rowKey(row), row);
  }
  const cut = lines.at(-1) === "" || lines.length === 0 ? "" : "\n";
  let before = cut;
  return {
    get: (key) => rows.get(key),
    add(row) {
      rows.set(rowKey(row), row);
      mkdirSync(dirname(path), { recursive: true });
      appendFileSync(path, `${before}${JSON.stringify(row)}\n`);
      before = "";
    },
  };
}

function parse(line: string): TargetedRow | undefined {
  try {
    return JSON.parse(line) as TargetedRow;
  } catch {
    return undefined;
  }
}
