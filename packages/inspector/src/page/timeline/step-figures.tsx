import { promptTokens } from "./chart-columns.js";
import { foldingCost, priceOfFolding, type FoldingCost } from "../../shared/folding-cost.js";
import type { PredictedCall } from "../../shared/predicted-bill.js";
import type { StepRow } from "../../view.js";
import { count, line, money, plain, time } from "../format.js";
import type { TypedPrices } from "../prices.js";

export interface StepFiguresProps {
  /** Oldest first. */
  readonly rows: readonly StepRow[];
  /** Position of the chosen row. */
  readonly index: number;
  readonly window: number | null;
  /** The last call of each row, by its position; empty while the rows are read. */
  readonly predicted: ReadonlyMap<number, PredictedCall>;
  readonly prices: TypedPrices;
}

/** The chosen step in figures: its prompt, the call of the model, and what its folds saved and cost. */
export function StepFigures({ rows, index, window, predicted, prices }: StepFiguresProps) {
  const row = rows[index];
  if (row === undefined) return null;
  const tokens = promptTokens(row);
  const share = window === null ? "" : `, ${Math.round((tokens / window) * 100)} % of ${count(window)}`;
  const cost = foldingCost(rows, index);
  return (
    <p class="figures">
      <b>Step {row.step ?? "–"}</b>
      <span class="dim">
        {count(index + 1)} of {count(rows.length)}, {time(row.at)}
      </span>
      <span>
        about {count(tokens)} tokens{share} in {count(row.messages)} messages
      </span>
      <Call row={row} predicted={predicted.get(index)} />
      {row.isEpoch && <span class="tag">new epoch: changed from message {count(row.unchanged + 1)} on</span>}
      {row.isBranch && <span class="tag">branch</span>}
      {row.folds.length > 0 && <span class="tag">{foldsOf(row)}</span>}
      {cost && <span class="tag">{costText(cost, priceOfFolding(cost, prices.of))}</span>}
      {row.label !== "" && <span class="dim ellipsis">{line(row.label)}</span>}
    </p>
  );
}

interface CallProps {
  readonly row: StepRow;
  readonly predicted: PredictedCall | undefined;
}

/** What the model reported of its last call, with what was predicted. */
function Call({ row, predicted }: CallProps) {
  const reported = row.calls.at(-1)?.reported;
  if (reported === undefined) return null;
  const { model, input, cached, output } = reported;
  return (
    <span>
      {named(model)} read {count(input)}
      {expected(predicted?.predicted.input)}, {count(cached)} of it cached
      {expected(predicted?.predicted.cached)}, wrote {count(output)}
    </span>
  );
}

/** A reply need not say which model wrote it. */
function named(model: string): string {
  return model === "unnamed" ? "the model" : plain(model);
}

function expected(tokens: number | undefined): string {
  return tokens === undefined ? "" : ` (predicted ${count(tokens)})`;
}

function foldsOf({ folds }: StepRow): string {
  const before = folds.reduce((sum, fold) => sum + fold.before, 0);
  const after = folds.reduce((sum, fold) => sum + fold.after, 0);
  const kinds = [...new Set(folds.map(({ kind }) => kind))].join(", ");
  const reasons = [...new Set(folds.map(({ reason }) => reason).filter((reason) => reason !== ""))].join(
    ", ",
  );
  return `folded ${plain(kinds)}${reasons === "" ? "" : ` (${plain(reasons)})`}: ${count(before)} → ${count(after)} tokens`;
}

function costText({ rewritten, summaries }: FoldingCost, price: number | undefined): string {
  const calls = summaries.map(
    ({ model, input, output }) =>
      `a summary by ${named(model)} read ${count(input)} and wrote ${count(output)}`,
  );
  const parts = [...(rewritten > 0 ? [`${count(rewritten)} tokens cached anew`] : []), ...calls];
  if (parts.length === 0) return "at no price";
  return `price: ${parts.join(", ")}${price === undefined ? "" : `: ${money(price)}`}`;
}
