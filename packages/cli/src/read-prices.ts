import { existsSync, readFileSync } from "node:fs";
import { checkPrices, ContextError, type Prices } from "@palimpsest/context";
import { listedPrices, pricesAsOf, type PricesOf } from "@palimpsest/inspector";
import { CliError } from "./cli-error.js";
import { terminalText } from "./terminal-text.js";
import type { Verb, VerbInput } from "./verb.js";

/** The option of verbs that price tokens. */
export const pricesOption: Verb["options"][number] = [
  "--prices <file>",
  `prices per million tokens by model, as JSON: {"model": {"input": 3, "cachedInput": 0.3, "cacheWrite": 3.75, "output": 15}} (default: list prices of ${pricesAsOf} in dollars)`,
];

/** Says where the prices come from; empty with a file of prices. */
export function sourceOfPrices({ prices: path }: VerbInput["options"]): string {
  return path === undefined ? `prices: in dollars, as listed in ${pricesAsOf}; --prices takes others\n` : "";
}

/** Reads the file of `--prices`. Without it, models have their list prices. Throws a CliError that names the wrong value in it. */
export function readPrices({ prices: path }: VerbInput["options"]): PricesOf {
  if (path === undefined) return listedPrices;
  const byModel = new Map(Object.entries(parsed(String(path))));
  for (const [model, prices] of byModel) {
    try {
      checkPrices(model, prices);
    } catch (cause) {
      if (!ContextError.isInstance(cause)) throw cause;
      throw new CliError(`${String(path)}: ${cause.message}`, { cause });
    }
  }
  return (model) => byModel.get(model);
}

/** Prints which models are missing from the file of `--prices`. */
export function noteUnpriced(
  models: Iterable<string>,
  pricesOf: PricesOf,
  { options: { prices: path }, notice }: Pick<VerbInput, "options" | "notice">,
): void {
  const unpriced = [...new Set(models)].filter((model) => pricesOf(model) === undefined);
  if (path !== undefined && unpriced.length > 0)
    notice(
      terminalText(`${String(path)} has no prices for ${unpriced.map((model) => `"${model}"`).join(", ")}.`),
    );
}

function parsed(path: string): Readonly<Record<string, Prices>> {
  if (!existsSync(path)) throw new CliError(`There is no file with prices at ${path}.`);
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isTable && Object.values(value).every((one) => typeof one === "object" && one !== null))
      return value as Record<string, Prices>;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`The prices in ${path} cannot be read as JSON: ${reason}`, { cause });
  }
  throw new CliError(
    `${path} holds no prices by model. Write {"model": {"input": 3, "cachedInput": 0.3, "output": 15}}.`,
  );
}
