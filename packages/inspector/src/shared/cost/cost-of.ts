import type { Prices } from "@palimpsest/context";
import type { ModelUsage } from "../../view.js";

const tokensPriced = 1_000_000;

/**
 * Returns the cost of a usage, in the currency of the prices, which are per million tokens. Input tokens include those read
 * from and written to the cache. Pure.
 */
export function costOf(
  { input, cached, cacheWrites, output }: Omit<ModelUsage, "model">,
  prices: Prices,
): number {
  const { cacheWrite = prices.input } = prices;
  const other = Math.max(0, input - cached - cacheWrites);
  const sum =
    prices.input * other + prices.cachedInput * cached + cacheWrite * cacheWrites + prices.output * output;
  return sum / tokensPriced;
}
