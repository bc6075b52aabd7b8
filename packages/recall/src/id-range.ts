/** Ids that one thread has for its passages, in the order of their coming: 268 million. */
export const idsPerThread = 2 ** 28;

/** First and last id that the passages of a thread can have. */
export type IdRange = readonly [first: number, last: number];

/** Returns the ids of the thread with a number. Pure. */
export function rangeOf(no: number): IdRange {
  return [no * idsPerThread + 1, (no + 1) * idsPerThread - 1];
}

/** Returns the number of a thread, from its ids. Pure. */
export function numberOf([first]: IdRange): number {
  return Math.floor(first / idsPerThread);
}
