import type { Prices } from "@palimpsest/context";

/** The month in which the list was compared with what the providers publish. */
export const pricesAsOf = "2026-06";

/** Dollars per million tokens: input, cached input, output, and cache writes where they cost more than other input. */
type Listed = readonly [input: number, cachedInput: number, output: number, cacheWrite?: number];

const list: Readonly<Record<string, Listed>> = {
  "claude-opus-4-8": [5, 0.5, 25, 6.25],
  "claude-opus-4-7": [5, 0.5, 25, 6.25],
  "claude-opus-4-6": [5, 0.5, 25, 6.25],
  "claude-opus-4-5": [5, 0.5, 25, 6.25],
  "claude-opus-4-1": [15, 1.5, 75, 18.75],
  "claude-sonnet-4-6": [3, 0.3, 15, 3.75],
  "claude-sonnet-4-5": [3, 0.3, 15, 3.75],
  "claude-haiku-4-5": [1, 0.1, 5, 1.25],
  "gpt-5.4": [2.5, 0.25, 15],
  "gpt-5.4-mini": [0.75, 0.075, 4.5],
  "gpt-5.4-nano": [0.2, 0.02, 1.25],
  "gpt-5.2": [1.75, 0.175, 14],
  "gpt-5.1": [1.25, 0.125, 10],
  "gpt-5": [1.25, 0.125, 10],
  "gpt-5-mini": [0.25, 0.025, 2],
  "gpt-5-nano": [0.05, 0.005, 0.4],
  "gpt-4.1": [2, 0.5, 8],
  "gpt-4.1-mini": [0.4, 0.1, 1.6],
  "gpt-4.1-nano": [0.1, 0.025, 0.4],
  "gpt-4o": [2.5, 1.25, 10],
  "gpt-4o-mini": [0.15, 0.075, 0.6],
  o3: [2, 0.5, 8],
  "o4-mini": [1.1, 0.275, 4.4],
  "gemini-2.5-pro": [1.25, 0.125, 10],
  "gemini-2.5-flash": [0.3, 0.03, 2.5],
  "gemini-2.5-flash-lite": [0.1, 0.01, 0.4],
};

/** The provider before a name, and the date of a version after it. */
const around = /^(?:[\w.-]+\/)+|(?:-\d{8}|-\d{4}-\d{2}-\d{2}|-latest)$/gu;

/**
 * Returns the list price of a model, in dollars per million tokens; undefined for a model that is not listed. Prices of prompts up to
 * 200,000 tokens, without discounts. Pure.
 */
export function listedPrices(model: string): Prices | undefined {
  const name = model.replaceAll(around, "");
  const found = Object.hasOwn(list, name) ? list[name] : undefined;
  if (found === undefined) return undefined;
  const [input, cachedInput, output, cacheWrite] = found;
  return { input, cachedInput, output, ...(cacheWrite === undefined ? {} : { cacheWrite }) };
}
