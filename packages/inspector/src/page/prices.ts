import { useState } from "preact/hooks";
import { listedPrices } from "../shared/cost/listed-prices.js";
import type { PricesOf } from "../shared/cost/folding-cost.js";

export const priceFields = ["input", "cachedInput", "cacheWrite", "output"] as const;
export type PriceField = (typeof priceFields)[number];

/** Prices as typed. */
export type ModelPrices = Readonly<Partial<Record<PriceField, string>>>;

/** Prices as typed, by model. */
export interface TypedPrices {
  readonly typed: Readonly<Record<string, ModelPrices>>;
  /** Prices of a model: those that are typed, and the list for the others. Undefined without one for input or for output. */
  readonly of: PricesOf;
  readonly type: (model: string, field: PriceField, text: string) => void;
}

const stored = "palimpsest-prices";

/** Returns the prices that were typed in this browser, which keeps them. */
export function usePrices(): TypedPrices {
  const [typed, setTyped] = useState(read);
  return {
    typed,
    of: (model) => parse(Object.hasOwn(typed, model) ? typed[model] : undefined, listedPrices(model)),
    type: (model, field, text) =>
      setTyped((known) => {
        const next = { ...known, [model]: { ...known[model], [field]: text } };
        store(next);
        return next;
      }),
  };
}

function parse(typed: ModelPrices = {}, listed: ReturnType<PricesOf>): ReturnType<PricesOf> {
  const [input, cachedInput, cacheWrite, output] = priceFields.map((field) => {
    const text = typed[field] ?? "";
    const price = text === "" ? Number.NaN : Number(text);
    return price >= 0 ? price : listed?.[field];
  });
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    cachedInput: cachedInput ?? input,
    output,
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

/** A browser may refuse to store, and another page of this origin may have stored anything. */
function read(): TypedPrices["typed"] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(stored) ?? "{}");
    return typeof value === "object" && value !== null ? (value as TypedPrices["typed"]) : {};
  } catch {
    return {};
  }
}

function store(prices: TypedPrices["typed"]): void {
  try {
    localStorage.setItem(stored, JSON.stringify(prices));
  } catch {
    // They count until the page is closed.
  }
}
