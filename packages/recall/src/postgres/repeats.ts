/** What `ts_rank` divides by: the limit of its sum. */
const limit = 1.64493406685;

/**
 * Returns from which `ts_rank` of a single word on a text has it once, twice and so on, for `width_bucket`: Postgres has no
 * function for how often a word stands in a text, and its rank is the sum of 1/n² up to that number. Pure.
 */
export function rankThresholds(most: number): number[] {
  let sum = 0;
  return Array.from({ length: most }, (_, at) => {
    const next = 1 / (at + 1) ** 2;
    sum += next;
    return (sum - next / 2) / limit;
  });
}
