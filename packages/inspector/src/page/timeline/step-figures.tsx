import { startOf, type CallPositions } from "../../shared/call-positions.js";
import { foldingCost, priceOfFolding, type FoldingCost } from "../../shared/cost/folding-cost.js";
import type { PredictedCall } from "../../shared/cost/predicted-bill.js";
import type { FoldView, StepRow } from "../../view.js";
import { count, counted, duration, line, money, plain, timeOfStep } from "../format.js";
import type { TypedPrices } from "../prices.js";
import { promptTokens } from "./chart-columns.js";

export interface StepFiguresProps {
  /** Oldest first. */
  readonly rows: readonly StepRow[];
  readonly calls: CallPositions;
  /** Whether all rows are read, so that calls have numbers. */
  readonly isWhole: boolean;
  /** Position of the chosen row. */
  readonly index: number;
  readonly window: number | null;
  /** The last call of each row, by its position; empty while the rows are read. */
  readonly predicted: ReadonlyMap<number, PredictedCall>;
  readonly prices: TypedPrices;
  readonly select: (index: number) => void;
}

/** The chosen call in figures: its prompt, what the model reported, and what the folds before it saved and cost. */
export function StepFigures({ rows, window, predicted, prices, ...rest }: StepFiguresProps) {
  const { calls, index } = rest;
  const row = rows[index];
  if (row === undefined) return null;
  const tokens = promptTokens(row);
  const share = window === null ? "" : `, ${Math.round((tokens / window) * 100)} % of ${count(window)}`;
  const call = row.calls.at(-1);
  const from = call === undefined ? index : startOf(calls, index);
  const seen = rows.slice(from, index + 1);
  const costs = seen.flatMap((_, at) => foldingCost(rows, from + at) ?? []);
  const changed = seen.filter(({ isEpoch }) => isEpoch).map(({ unchanged }) => unchanged);
  return (
    <p class="figures">
      <Title {...rest} row={row} took={timeSince(rows[index - 1], row)} />
      {call === undefined ? (
        <span>
          about {count(tokens)} tokens in {counted(row.messages, "message")}
        </span>
      ) : (
        <span>
          sent {call.reported === null && "about "}
          {count(tokens)} tokens{share} in {counted(call.sent, "message")}
        </span>
      )}
      <Reported row={row} predicted={predicted.get(index)} />
      {changed.length > 0 && (
        <span class="tag">new epoch: changed from message {count(Math.min(...changed) + 1)} on</span>
      )}
      {seen.some(({ folds }) => folds.length > 0) && (
        <span class="tag">{foldsOf(seen.flatMap(({ folds }) => folds))}</span>
      )}
      {seen.some(({ opened }) => opened.length > 0) && (
        <span class="tag">unfolded {counted(seen.flatMap(({ opened }) => opened).length, "fold")}</span>
      )}
      {costs.length > 0 && <span class="tag">{costText(costs, prices)}</span>}
      {seen.flatMap(({ faults }) => faults).length > 0 && (
        <span class="failed">{counted(seen.flatMap(({ faults }) => faults).length, "error")} before it</span>
      )}
      {row.label !== "" && <span class="dim ellipsis">{line(row.label)}</span>}
    </p>
  );
}

function timeSince(before: StepRow | undefined, row: StepRow): string {
  return before === undefined ? "" : duration(before.at, row.at);
}

/** The number of the call, or what else the row is, and the step. */
function Title({ row, took, isWhole, ...rest }: TitleProps) {
  const { calls, index } = rest;
  const number = calls.counts[index] ?? 0;
  const between = `Not sent, between call ${count(number)} and ${count(number + 1)}`;
  return (
    <>
      <b>
        {row.calls.length > 0 && (isWhole ? <CallNumber {...rest} number={number} /> : "Call")}
        {row.calls.length === 0 && (calls.all === 0 ? `Step ${row.step ?? "–"}` : between)}
      </b>
      <span class="dim">
        step {row.step ?? "–"}, {timeOfStep(row.at)}
        {took !== "" && `, ${took} after the step before`}
      </span>
    </>
  );
}

type Numbered = Pick<StepFiguresProps, "calls" | "index" | "select">;

interface TitleProps extends Numbered, Pick<StepFiguresProps, "isWhole"> {
  readonly row: StepRow;
  /** The time since the step before; empty at the first. */
  readonly took: string;
}

/** The number of the call, which can be typed over. */
function CallNumber({ calls, number, select }: Numbered & { readonly number: number }) {
  const goTo = (text: string): void => {
    const at = calls.counts.findIndex((count) => count >= Number(text));
    if (Number(text) >= 1 && at >= 0) select(at);
  };
  return (
    <>
      Call{" "}
      <input
        class="call-number"
        inputMode="numeric"
        aria-label="Number of the call"
        title="Key g"
        key={number}
        defaultValue={String(number)}
        onChange={(event) => goTo(event.currentTarget.value)}
      />{" "}
      of {count(calls.all)}
    </>
  );
}

interface ReportedProps {
  readonly row: StepRow;
  readonly predicted: PredictedCall | undefined;
}

/** What the model reported of its last call, with what was predicted. */
function Reported({ row, predicted }: ReportedProps) {
  const reported = row.calls.at(-1)?.reported;
  if (reported == null) return null;
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

function foldsOf(folds: readonly FoldView[]): string {
  const before = folds.reduce((sum, fold) => sum + fold.before, 0);
  const after = folds.reduce((sum, fold) => sum + fold.after, 0);
  const kinds = [...new Set(folds.map(({ kind }) => kind))].join(", ");
  const reasons = [...new Set(folds.map(({ reason }) => reason).filter((reason) => reason !== ""))].join(
    ", ",
  );
  return `folded ${plain(kinds)}${reasons === "" ? "" : ` (${plain(reasons)})`}: ${count(before)} → ${count(after)} tokens`;
}

function costText(costs: readonly FoldingCost[], { of }: TypedPrices): string {
  const rewritten = costs.reduce((sum, cost) => sum + cost.rewritten, 0);
  const calls = costs
    .flatMap(({ summaries }) => summaries)
    .map(
      ({ model, input, output }) =>
        `a summary by ${named(model)} read ${count(input)} and wrote ${count(output)}`,
    );
  const parts = [...(rewritten > 0 ? [`${count(rewritten)} tokens cached anew`] : []), ...calls];
  if (parts.length === 0) return "at no price";
  const prices = costs.map((cost) => priceOfFolding(cost, of));
  const isKnown = prices.every((price) => price !== undefined);
  const sum = prices.reduce<number>((whole, price) => whole + (price ?? 0), 0);
  return `price: ${parts.join(", ")}${isKnown ? `: ${money(sum)}` : ""}`;
}
