import { rangeOf, type IdRange } from "../id-range.js";
import type { Statements } from "./statements.js";

/** Returns the ids of a thread, or undefined for a thread that is not there. */
export function idsOf(statements: Statements, thread: string): IdRange | undefined {
  const no = statements.get("SELECT no FROM thread WHERE name = ?", thread)?.["no"];
  return no === undefined ? undefined : rangeOf(Number(no));
}

/** Returns the ids of a thread. A new one gets ids that no thread before it had. Inside a writing transaction. */
export function newIdsOf(statements: Statements, thread: string): IdRange {
  statements.run("INSERT OR IGNORE INTO thread(name) VALUES (?)", thread);
  return idsOf(statements, thread) ?? rangeOf(0);
}
