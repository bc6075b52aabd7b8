import { ContextError } from "../context-error.js";
import { requireNotNegative } from "../check-options.js";

/** What a provider charges for a million tokens, in any currency. There is no default: prices change, and differ by contract. */
export interface Prices {
  /** A token of a prompt that is not in the cache and is not written to it. */
  readonly input: number;
  /** A token of a prompt that is read from the cache; at most `input`. Equal to it where the provider has no cache. */
  readonly cachedInput: number;
  /** A token of a prompt that is written to the cache. @default `input` */
  readonly cacheWrite?: number;
  /** A token that the model writes. */
  readonly output: number;
}

/**
 * Refuses prices by which nothing can be reckoned.
 *
 * @throws ContextError `bad-option`, naming the value and the way out.
 */
export function checkPrices(name: string, prices: Prices): void {
  const { input, cachedInput, cacheWrite = input, output } = prices;
  for (const [field, value] of Object.entries({ input, cachedInput, cacheWrite, output })) {
    requireNotNegative(`${name}.${field}`, value);
  }
  if (cachedInput > Math.min(input, cacheWrite)) {
    throw new ContextError(
      "bad-option",
      `${name}.cachedInput is ${cachedInput}: a token in the cache costs no more than one that is not (${Math.min(input, cacheWrite)})`,
    );
  }
}

/** Returns what so many tokens of a prompt cost, of which `cached` are in the cache and the rest is written to it. Pure. */
export function promptPrice(tokens: number, cached: number, prices: Prices): number {
  const { input, cachedInput, cacheWrite = input } = prices;
  return (cachedInput * cached + cacheWrite * (tokens - cached)) / tokensPriced;
}

/** Tokens that a price is for. */
export const tokensPriced = 1_000_000;
