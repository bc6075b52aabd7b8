/**
 * Returns the number of an option of a suite.
 *
 * @throws Error that names the option, its value and the least number.
 */
export function atLeast(name: string, value: string, least: number): number {
  if (Number(value) >= least) return Number(value);
  throw new Error(`${name} is ${value}: use a number, ${least} or more`);
}
