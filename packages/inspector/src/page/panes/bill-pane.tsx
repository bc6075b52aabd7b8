import { useMemo } from "preact/hooks";
import { pricesAsOf, listedPrices } from "../../shared/cost/listed-prices.js";
import { costOf } from "../../shared/cost/cost-of.js";
import { countedBill, type CountedBill } from "../../shared/cost/predicted-bill.js";
import type { ModelUsage, StepRow } from "../../view.js";
import { count, money, plain } from "../format.js";
import { priceFields, type TypedPrices } from "../prices.js";
import { useLoaded } from "../source/use-loaded.js";
import type { Pane, PaneProps } from "./pane.js";
import { SavingsTable } from "./savings-table.js";

/** The columns of tokens that are priced, in the order of the prices. */
const columns = ["input", "of it cached", "of it cache writes", "output"] as const;

/** The usage that the models reported for the whole branch, next to the prediction, its cost, and what the folds saved. */
export const billPane: Pane = { id: "bill", label: "bill", render: (props) => <Bill {...props} /> };

function Bill(props: PaneProps) {
  const { source, thread, rows: read, isWhole, prices } = props;
  const rows = isWhole ? read : none;
  const { value: reported, error } = useLoaded(async () => source.bill(thread), [source, thread]);
  const counted = useMemo(() => countedBill(rows), [rows]);
  if (error !== "") return <p class="error">{plain(error)}</p>;
  if (reported === undefined) return <p class="dim pad">adding up …</p>;
  const isEmpty = reported.length + counted.summaries.length === 0;
  return (
    <div class="scroll pad" tabIndex={0} role="region" aria-label="Bill">
      {isEmpty && <p class="dim">The models of this thread reported no usage.</p>}
      {!isEmpty && <BillTable {...{ reported, counted, prices }} />}
      {!isEmpty && <Sums {...{ reported, counted, prices }} />}
      {isWhole && <SavingsTable {...props} />}
      <p class="dim">
        Predicted: each prompt as it is counted, with a cache that holds as much of it as is equal to the
        prompt before. Prices are per million tokens. Those in grey are a list in dollars as of {pricesAsOf};
        typed ones take their place and stay in this browser. Cached input and cache writes without a price
        cost as much as other input.
      </p>
    </div>
  );
}

const none: readonly StepRow[] = [];

interface BillsProps extends Pick<PaneProps, "prices"> {
  readonly reported: readonly ModelUsage[];
  readonly counted: CountedBill;
}

function BillTable({ reported, counted: { predicted, summaries }, prices }: BillsProps) {
  const models = new Set([...reported, ...summaries].map(({ model }) => model));
  return (
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
      {[...models].map((model) => (
        <tbody key={model}>
          <UsageRow usage={usageOf(reported, model)} label={plain(model)} prices={prices} />
          <UsageRow usage={usageOf(predicted, model)} label="predicted" prices={prices} />
          <UsageRow usage={usageOf(summaries, model)} label={summariesOf(model)} prices={prices} />
          <PriceRow model={model} prices={prices} />
        </tbody>
      ))}
    </table>
  );
}

function usageOf(usages: readonly ModelUsage[], model: string): ModelUsage | undefined {
  return usages.find((usage) => usage.model === model);
}

function summariesOf(model: string): string {
  return model === "unnamed" ? "summaries of folds" : `summaries of folds by ${plain(model)}`;
}

/** The cost of all models, and the share of the folds. */
function Sums({ reported, counted: { summaries, rewritten }, prices }: BillsProps) {
  const all = [...reported, ...summaries];
  const steps = rewritten.reduce((sum, { calls }) => sum + calls, 0);
  const tokens = rewritten.reduce((sum, { input }) => sum + input, 0);
  return (
    <>
      {all.length > 1 && <p>Together {sumOf(all, prices)}</p>}
      {steps > 0 && (
        <p>
          Folds of {count(steps)} steps had {count(tokens)} tokens written to the cache anew, which is a part
          of the input of the next calls: {sumOf(rewritten, prices)}
        </p>
      )}
    </>
  );
}

function sumOf(usages: readonly ModelUsage[], { of }: TypedPrices): string {
  const costs = usages.flatMap((usage) => {
    const prices = of(usage.model);
    return prices === undefined ? [] : [costOf(usage, prices)];
  });
  if (costs.length === 0) return "without prices, no cost";
  const sum = money(costs.reduce((total, cost) => total + cost, 0));
  return costs.length < usages.length ? `${sum}, without the models that have no prices` : sum;
}

interface UsageRowProps extends Pick<PaneProps, "prices"> {
  readonly usage: ModelUsage | undefined;
  readonly label: string;
}

function UsageRow({ usage, label, prices }: UsageRowProps) {
  if (usage === undefined) return null;
  const { model, calls, input, cached, cacheWrites, output } = usage;
  const price = prices.of(model);
  return (
    <tr class={label === plain(model) ? "reported" : "dim"}>
      <td>{label}</td>
      <td class="figure">{price === undefined ? "" : money(costOf(usage, price))}</td>
      {[calls, input, cached, cacheWrites, output].map((figure, column) => (
        <td class="figure" key={column}>
          {count(figure)}
        </td>
      ))}
    </tr>
  );
}

function PriceRow({ model, prices }: Pick<PaneProps, "prices"> & { readonly model: string }) {
  const typed = Object.hasOwn(prices.typed, model) ? prices.typed[model] : undefined;
  const listed = listedPrices(model);
  return (
    <tr class="prices">
      <td class="dim" colSpan={3}>
        price of a million
      </td>
      {priceFields.map((field, column) => (
        <td class="figure" key={field}>
          <input
            type="number"
            min={0}
            step="any"
            aria-label={`Price of ${columns[column] ?? field}, ${plain(model)}`}
            value={typed?.[field] ?? ""}
            placeholder={listed?.[field]?.toString() ?? ""}
            onInput={(event) => prices.type(model, field, event.currentTarget.value)}
          />
        </td>
      ))}
    </tr>
  );
}
