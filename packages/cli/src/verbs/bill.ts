import {
  addUsage,
  costOf,
  countedBill,
  ThreadReader,
  type ModelUsage,
  type PricesOf,
  type Savings,
} from "@palimpsest/inspector";
import { noteUnpriced, pricesOption, readPrices, sourceOfPrices } from "../read-prices.js";
import { count, counted, oneLine, renderTable, wrapped } from "../terminal-text.js";
import { columnsOf, countOption, type Verb } from "../verb.js";

/** Adds up the usage that the models reported over the whole thread, with the predicted usage, the cost of folds and what they saved. */
export const bill: Verb = {
  name: "bill",
  description:
    "Add up the tokens that the models reported for a thread, beside a prediction and the same thread without folds",
  args: ["<thread>"],
  options: [
    pricesOption,
    ["--window <tokens>", "the agent's context window (default: what was recorded in the thread)"],
  ],
  async run({ saver, args: [threadId = ""], options, progress, notice, terminal }) {
    const pricesOf = readPrices(options);
    const window = options["window"] === undefined ? undefined : countOption(options, "window");
    const reader = new ThreadReader(saver, threadId);
    const reported = addUsage(await reader.all());
    progress("reading the steps");
    const saved = await reader.savings(window);
    const bills = { reported, ...countedBill(await reader.rows()) };
    const usages = Object.fromEntries(
      Object.entries(bills).map(([name, usages]) => [name, usages.map((usage) => priced(usage, pricesOf))]),
    );
    const models = Object.values(bills).flatMap((usages) => usages.map(({ model }) => model));
    noteUnpriced(models, pricesOf, { options, notice });
    const head = ["bill", "model", "calls", "input", "cached input", "cache writes", "output", "cost"];
    const rows = Object.entries(usages).flatMap(([name, some]) =>
      some.map(({ model, calls, input, cached, cacheWrites, output, cost }) => [
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
    const legend: string[] = Object.entries(legends).flatMap(([name, line]) =>
      usages[name]?.length ? [line] : [],
    );
    if (rows.some((row) => row.at(-1) !== "")) legend.push(sourceOfPrices(options));
    const size = columnsOf({ terminal });
    const table = rows.length === 0 ? text : renderTable(head, rows, size) + wrapped(legend.join(""), size);
    const saving = wrapped(savedText(saved, window ?? reader.history.window), size);
    return { data: { ...usages, saved }, text: table + saving };
  },
};

/** Says what the folds saved: nothing of a thread without calls. */
function savedText(
  { calls, sent, unfolded, largest, largestUnfolded, overflow, rewrites, rewritten }: Savings,
  window: number | undefined,
): string {
  if (calls === 0) return "";
  const end =
    overflow === null || window === undefined
      ? ""
      : ` Call ${count(overflow)} would not have fitted into ${count(window)} tokens.`;
  return `saved by folds: ${counted(calls, "call")} sent ${count(sent)} tokens, without folds ${count(unfolded)}; the largest prompt ${count(largest)}, without folds ${count(largestUnfolded)}.${end} ${counted(rewrites, "rewrite")} wrote ${counted(rewritten, "token")} to the cache again.\n`;
}

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
