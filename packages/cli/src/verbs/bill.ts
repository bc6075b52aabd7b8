import {
  addUsage,
  costOf,
  countedBill,
  readRows,
  readState,
  unfoldState,
  type ModelUsage,
  type PricesOf,
} from "@palimpsest/inspector";
import { noteUnpriced, pricesOption, readPrices } from "../read-prices.js";
import { oneLine, renderTable } from "../terminal-text.js";
import { columnsOf, type Verb } from "../verb.js";

/** Adds up the usage that the models reported over the whole thread, with the predicted usage and the cost of folds. */
export const bill: Verb = {
  name: "bill",
  description: "Add up the tokens that the models reported for a thread, beside a prediction",
  args: ["<thread>"],
  options: [pricesOption],
  async run({ saver, args: [threadId = ""], options, progress, notice, terminal }) {
    const pricesOf = readPrices(options);
    const reported = addUsage(await unfoldState(saver, await readState(saver, threadId)));
    progress("reading the steps");
    const bills = { reported, ...countedBill(await readRows(saver, threadId)) };
    const data = Object.fromEntries(
      Object.entries(bills).map(([name, usages]) => [name, usages.map((usage) => priced(usage, pricesOf))]),
    );
    const models = Object.values(bills).flatMap((usages) => usages.map(({ model }) => model));
    noteUnpriced(models, pricesOf, { options, notice });
    const head = ["bill", "model", "calls", "input", "cached input", "cache writes", "output", "cost"];
    const rows = Object.entries(data).flatMap(([name, usages]) =>
      usages.map(({ model, calls, input, cached, cacheWrites, output, cost }) => [
        names[name as keyof typeof names],
        oneLine(model, 40),
        calls,
        input,
        cached,
        cacheWrites,
        output,
        cost === undefined ? "" : cost.toFixed(4),
      ]),
    );
    const text = "The models of this thread reported no usage.\n";
    const legend = Object.entries(legends).flatMap(([name, line]) => (data[name]?.length ? [line] : []));
    return {
      data,
      text: rows.length === 0 ? text : renderTable(head, rows, columnsOf({ terminal })) + legend.join(""),
    };
  },
};

const names = {
  reported: "reported",
  predicted: "predicted",
  summaries: "summaries of folds",
  rewritten: "rewritten by folds",
} as const;

/** Explanations of rows whose names are not clear by themselves. */
const legends = {
  predicted: "predicted: from counted tokens, with the prefix shared with the prompt before in the cache\n",
  rewritten:
    "rewritten: tokens that steps with folds wrote to the cache again, a part of the reported input\n",
} as const;

type PricedUsage = ModelUsage & {
  /** In the currency of the prices; absent if the model has no price. */
  readonly cost?: number;
};

function priced(usage: ModelUsage, pricesOf: PricesOf): PricedUsage {
  const prices = pricesOf(usage.model);
  return prices === undefined ? usage : { ...usage, cost: costOf(usage, prices) };
}
