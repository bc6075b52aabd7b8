import {
  findFolds,
  foldingCost,
  priceOfFolding,
  readRows,
  readState,
  type FoldingCost,
  type StepRow,
} from "@palimpsest/inspector";
import { pastDamage } from "@palimpsest/langgraph/threads";
import { DamagedRecords } from "../damaged-records.js";
import { noteUnpriced, pricesOption, readPrices } from "../read-prices.js";
import { renderTable } from "../terminal-text.js";
import type { Verb } from "../verb.js";

/** Lists the folds of a thread, nested ones included. */
export const folds: Verb = {
  name: "folds",
  description: "List what was folded, when it was folded for which reason, what it saved and what it cost",
  args: ["<thread>"],
  options: [["--at <step>", "a step, or the id of a checkpoint (default: the newest)"], pricesOption],
  async run({ saver, args: [threadId = ""], options, progress, notice }) {
    const pricesOf = readPrices(options);
    const { context } = await readState(saver, threadId, options["at"] as string | undefined);
    const archive = saver.files.archive(threadId);
    const damaged = new DamagedRecords(notice);
    const read = pastDamage(
      async (path) => archive.readText(path),
      (one) => damaged.add(threadId, one),
    );
    const found = await findFolds(context, read);
    if (found.length > 0) progress("reading the steps");
    const costs = foldCosts(found.length === 0 ? [] : await readRows(saver, threadId));
    noteUnpriced(
      [...costs.values()].flatMap(({ cost }) => cost?.model ?? []),
      pricesOf,
      { options, notice },
    );
    const data = found.map(({ depth, fold }) => {
      const { step, cost } = costs.get(fold.id) ?? {};
      const price = cost && priceOfFolding(cost, pricesOf);
      return { depth, step, ...fold, rewritten: cost?.rewritten, ...(price === undefined ? {} : { price }) };
    });
    const rows = data.map((fold) => [
      fold.depth,
      fold.step ?? "",
      fold.kind,
      fold.reason ?? "",
      // One that was made before its message had an id names none.
      Math.max(1, fold.covers.length),
      fold.tokensBefore,
      fold.tokensAfter,
      fold.usage === undefined ? "" : `${fold.usage.inputTokens} + ${fold.usage.outputTokens}`,
      fold.rewritten ?? "",
      fold.price?.toFixed(4) ?? "",
      fold.record ?? fold.path,
    ]);
    const text = rows.length === 0 ? "Nothing is folded.\n" : `${renderTable(head, rows)}${legend}`;
    return { data, text, isFailure: damaged.count > 0 };
  },
};

const head = [
  "depth",
  "step",
  "kind",
  "reason",
  "messages",
  "before",
  "after",
  "summary",
  "rewritten",
  "price",
  "original",
];
const legend = `before, after: tokens; summary: tokens that its calls read and wrote
rewritten: tokens that the step had written to the cache anew; with the price on the first fold of the step
`;

interface FoldCost {
  readonly step: number | null;
  /** On the first fold of a step, for all of them. */
  readonly cost?: FoldingCost;
}

/** Returns the step that made each fold, by the id of the fold, and what its folds cost. */
function foldCosts(rows: readonly StepRow[]): ReadonlyMap<string, FoldCost> {
  const costs = new Map<string, FoldCost>();
  for (const [index, { step, folds: made }] of rows.entries()) {
    const cost = foldingCost(rows, index);
    for (const [at, { id }] of made.entries()) {
      if (!costs.has(id)) costs.set(id, { step, ...(at === 0 && cost ? { cost } : {}) });
    }
  }
  return costs;
}
