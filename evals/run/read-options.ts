import { parseArgs } from "node:util";
import { atLeast } from "./at-least.js";

/** How an option of a suite is read from what was given of it; nothing, where it was left out. */
interface Option<Value> {
  readonly read: (given: readonly string[], name: string) => Value;
  /** It may be given more than once. @default false */
  readonly multiple?: true;
  /** It has no value. @default false */
  readonly flag?: true;
}

type Values<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends Option<infer Value> ? Value : never;
};

/** Returns an option that is a number. */
export function number<Usual extends number | undefined>(
  least: number,
  usual: Usual,
): Option<number | Usual> {
  return { read: ([given], name) => (given === undefined ? usual : atLeast(name, given, least)) };
}

/** Returns an option that is a number, and may be given more than once. */
export function numbers(least: number, usual: readonly number[]): Option<readonly number[]> {
  const read = (given: readonly string[], name: string) =>
    given.length === 0 ? usual : given.map((one) => atLeast(name, one, least));
  return { read, multiple: true };
}

/** Returns an option that is a text. */
export function text<Usual extends string | undefined>(usual: Usual): Option<string | Usual> {
  return { read: ([given]) => given ?? usual };
}

/** Returns an option without a value: true where it is given. */
export const flag: Option<boolean> = { read: (given) => given.length > 0, flag: true };

/**
 * Returns the values of a suite's own options.
 *
 * @throws Error that names an option that the suite does not have, or a number that is too small.
 */
export function readOptions<Options extends Readonly<Record<string, Option<unknown>>>>(
  args: readonly string[],
  options: Options,
): Values<Options> {
  const declared = Object.entries(options).map(([name, { multiple = false, flag: isFlag = false }]) => [
    name,
    { type: isFlag ? ("boolean" as const) : ("string" as const), multiple },
  ]);
  const given = parseArgs({ args: [...args], options: Object.fromEntries(declared) });
  const values = given.values as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(options).map(([name, { read }]) => [
      name,
      read([values[name] ?? []].flat().map(String), `--${name}`),
    ]),
  ) as Values<Options>;
}
