import type { Statements } from "./statements.js";

/** Ids that one thread has for its passages, in the order of their coming: 268 million. */
export const idsPerThread = 2 ** 28;

/** First and last id that the passages of a thread can have. */
export type IdRange = readonly [first: number, last: number];

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

/** Returns the number of a thread, from its ids. */
export function numberOf([first]: IdRange): number {
  return Math.floor(first / idsPerThread);
}

function rangeOf(no: number): IdRange {
  return [no * idsPerThread + 1, (no + 1) * idsPerThread - 1];
}
