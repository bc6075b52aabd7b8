import { useState } from "preact/hooks";
import { costOf } from "../../shared/cost-of.js";
import type { ModelUsage } from "../../view.js";
import { count, money, plain } from "../format.js";
import type { Source } from "../source/source.js";
import { useLoaded } from "../source/use-loaded.js";

/** What tokens are priced by, in the order of the columns, and the columns. */
const priced = ["input", "cachedInput", "cacheWrite", "output"] as const;
const columns = ["input", "of it cached", "of it cache writes", "output"] as const;

type PriceField = (typeof priced)[number];
/** Prices as typed. */
type ModelPrices = Readonly<Partial<Record<PriceField, string>>>;
/** By model. */
type TypedPrices = Readonly<Record<string, ModelPrices>>;

const stored = "palimpsest-prices";

/** What the models reported over the whole thread, and what that costs by the prices that are typed in. */
export function BillPane({ source, thread }: { readonly source: Source; readonly thread: string }) {
  const { value, error } = useLoaded(async () => source.bill(thread), [thread]);
  const [prices, setPrices] = useState(readPrices);
  if (error !== "") return <p class="error">{plain(error)}</p>;
  if (value === undefined) return <p class="dim pad">adding up …</p>;
  if (value.length === 0) return <p class="dim pad">The models of this thread reported no usage.</p>;
  const type = (model: string, field: PriceField, text: string): void =>
    setPrices((known) => {
      const next = { ...known, [model]: { ...known[model], [field]: text } };
      storePrices(next);
      return next;
    });
  return (
    <div class="scroll pad" tabIndex={0} role="region" aria-label="Bill">
      <table>
        <thead>
          <tr>
            <th>model</th>
            {["cost", "calls", ...columns].map((head) => (
              <th class="figure" key={head}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {value.map((usage) => (
            <ModelRows
              key={usage.model}
              usage={usage}
              prices={prices[usage.model] ?? {}}
              onType={(field, text) => type(usage.model, field, text)}
            />
          ))}
        </tbody>
      </table>
      {value.length > 1 && <Together usages={value} prices={prices} />}
      <p class="dim">
        Prices are per million tokens, in any currency, and stay in this browser. Cached input and cache
        writes without a price cost as much as other input.
      </p>
    </div>
  );
}

function Together({
  usages,
  prices,
}: {
  readonly usages: readonly ModelUsage[];
  readonly prices: TypedPrices;
}) {
  const known = usages.flatMap((usage) => typedCost(usage, prices[usage.model] ?? {}) ?? []);
  if (known.length === 0) return null;
  return (
    <p>
      Together {money(known.reduce((sum, cost) => sum + cost, 0))}
      {known.length < usages.length && ", without the models that have no prices"}
    </p>
  );
}

interface ModelRowsProps {
  readonly usage: ModelUsage;
  readonly prices: ModelPrices;
  readonly onType: (field: PriceField, text: string) => void;
}

function ModelRows({ usage, prices, onType }: ModelRowsProps) {
  const cost = typedCost(usage, prices);
  const { model, calls, input, cached, cacheWrites, output } = usage;
  return (
    <>
      <tr>
        <td>{plain(model)}</td>
        <td class="figure">{cost === undefined ? "" : money(cost)}</td>
        {[calls, input, cached, cacheWrites, output].map((figure, column) => (
          <td class="figure" key={column}>
            {count(figure)}
          </td>
        ))}
      </tr>
      <tr class="prices">
        <td class="dim" colSpan={3}>
          price of a million
        </td>
        {priced.map((field, column) => (
          <td class="figure" key={field}>
            <input
              type="number"
              min={0}
              step="any"
              aria-label={`Price of ${columns[column] ?? field}, ${plain(model)}`}
              value={prices[field] ?? ""}
              onInput={(event) => onType(field, event.currentTarget.value)}
            />
          </td>
        ))}
      </tr>
    </>
  );
}

/** Returns what a model cost; undefined while it has no price for input or output. */
function typedCost(usage: ModelUsage, prices: ModelPrices): number | undefined {
  const [input, cachedInput, cacheWrite, output] = priced.map((field) => {
    const text = prices[field] ?? "";
    const price = text === "" ? Number.NaN : Number(text);
    return price >= 0 ? price : undefined;
  });
  if (input === undefined || output === undefined) return undefined;
  return costOf(usage, {
    input,
    cachedInput: cachedInput ?? input,
    output,
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  });
}

/** A browser may refuse to store, and another page of this origin may have stored anything. */
function readPrices(): TypedPrices {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(stored) ?? "{}");
    return typeof value === "object" && value !== null ? (value as TypedPrices) : {};
  } catch {
    return {};
  }
}

function storePrices(prices: TypedPrices): void {
  try {
    localStorage.setItem(stored, JSON.stringify(prices));
  } catch {
    // They count until the page is closed.
  }
}
