import {
  findFolds,
  foldingCost,
  priceOfFolding,
  readRows,
  readState,
  sizeOfThread,
  type FoldingCost,
  type StepRow,
} from "@palimpsest/inspector";
import { pastDamage } from "@palimpsest/langgraph/threads";
import { DamagedRecords } from "../damaged-records.js";
import { noteUnpriced, pricesOption, readPrices, sourceOfPrices } from "../read-prices.js";
import { counted, renderTable, type TableOptions } from "../terminal-text.js";
import { columnsOf, type Verb } from "../verb.js";

/** Lists the folds of a thread, nested ones included. */
export const folds: Verb = {
  name: "folds",
  description: "List the folds of a thread: when and why each was made, what it saved and what it cost",
  args: ["<thread>"],
  options: [["--at <step>", "a step, or the id of a checkpoint (default: the newest)"], pricesOption],
  async run({ saver, target, args: [threadId = ""], options, progress, notice, terminal }) {
    const pricesOf = readPrices(options);
    const damaged = new DamagedRecords(notice);
    const onDamage = (error: Error): void => damaged.addSteps(threadId, { error, target });
    const { context } = await readState(saver, threadId, options["at"] as string | undefined);
    const archive = saver.files.archive(threadId);
    const read = pastDamage(
      async (path) => archive.readText(path),
      (one) => damaged.add(threadId, one),
    );
    const found = await findFolds(context, read);
    if (found.length > 0) progress("reading the steps");
    const costs = foldCosts(found.length === 0 ? [] : await readRows(saver, threadId, onDamage));
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
      // A fold that was made before its message had an id names no message.
      Math.max(1, fold.covers.length),
      fold.tokensBefore,
      fold.tokensAfter,
      fold.usage === undefined ? "" : `${fold.usage.inputTokens} + ${fold.usage.outputTokens}`,
      fold.rewritten ?? "",
      fold.price?.toFixed(4) ?? "",
      fold.record ?? fold.path,
    ]);
    const text =
      rows.length === 0
        ? nothing(await sizeOfThread(saver, threadId))
        : tableOf(rows, columnsOf({ terminal })) +
          (data.some(({ price }) => price !== undefined) ? sourceOfPrices(options) : "");
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

/** Explanations of columns whose names are not clear by themselves. */
const legends = new Map([
  ["before", "before, after: tokens"],
  ["summary", "summary: tokens that its calls read and wrote"],
  ["rewritten", "rewritten: tokens that the step wrote to the cache again"],
  ["price", "price: of the step, on its first fold"],
]);

function tableOf(rows: readonly (readonly (string | number)[])[], options: TableOptions): string {
  const used = head.filter((_, column) => rows.some((row) => row[column] !== ""));
  const lines = used.flatMap((name) => legends.get(name) ?? []).map((line) => `${line}\n`);
  return renderTable(head, rows, options) + lines.join("");
}

/** Returns the text for a context without folds; the archive may still hold some. */
function nothing({ folds: archived }: { readonly folds: number }): string {
  if (archived === 0) return "Nothing is folded.\n";
  return `Nothing is folded in this context; the archive holds ${counted(archived, "fold")} of subagents, of other steps, or opened since.\n`;
}

interface FoldCost {
  readonly step: number | null;
  /** Cost of all folds of a step, on the first of them. */
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
