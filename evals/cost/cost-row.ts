import { billedPrices } from "../policies/palimpsest-planned.js";
import type { BilledSystem } from "./billed-systems.js";
import type { CallCost } from "./measure-cost.js";
import { mean } from "../metrics/quantile.js";
import { sumOf } from "../metrics/sum-of.js";

/** What a policy costs and keeps over the runs of a set. Tokens are of four characters; bills are in tokens of input. */
export interface CostRow extends Pick<BilledSystem, "system" | "setting" | "isOurs" | "author"> {
  readonly set: string;
  readonly window: number;
  /** It keeps to a budget. */
  readonly isBounded: boolean;
  readonly calls: number;
  readonly mean: number;
  readonly peak: number;
  /** Share of prompt tokens that the provider had in its cache. */
  readonly stable: number;
  readonly breaks: number;
  /** Cost of the prompts: new tokens at the price of a cache write, others at the price of a cached token. */
  readonly bill: number;
  /** The calls of the summary model. */
  readonly summaries: number;
  /** Tokens that the agent would have to read again at least, over all calls. */
  readonly reRead: number;
  /** Prompts, summary calls, and reading again with the calls that ask for it. */
  readonly whole: number;
  /** Mean share of what a call needs that is in its context. */
  readonly recall: number;
  readonly illegal: number;
  /** Share of the prompts with the goal. */
  readonly goal: number;
  readonly constraints: number;
  readonly control: number;
}

const { input, output, cachedInput, cacheWrite } = billedPrices;
/** Tokens that a model writes to ask for a file. */
const askingTokens = 40;

/** Returns the sums and means over the calls of all runs. */
export function costRow(
  names: Pick<CostRow, "set" | "window" | "isBounded" | "system" | "setting" | "isOurs" | "author">,
  runs: readonly (readonly CallCost[])[],
): CostRow {
  const calls = runs.flat();
  const sum = (value: (call: CallCost) => number) => sumOf(calls, value);
  const total = sum(({ tokens }) => tokens);
  return {
    ...names,
    calls: calls.length,
    mean: total / calls.length,
    peak: Math.max(...calls.map(({ tokens }) => tokens)),
    stable: sum(({ cached }) => cached) / total,
    breaks: sum(({ isBroken }) => (isBroken ? 1 : 0)),
    bill: sum(promptBill),
    summaries: sum(summaryBill),
    reRead: sum((call) => call.reRead),
    whole: sum(wholeBill),
    recall: mean(calls.flatMap(({ recall }) => recall ?? [])),
    illegal: sum(({ illegal }) => illegal),
    goal: sum(({ hasGoal }) => (hasGoal ? 1 : 0)) / calls.length,
    constraints: mean(calls.flatMap(({ constraints }) => constraints ?? [])),
    control: mean(calls.flatMap(({ control }) => control ?? [])),
  };
}

/** What a call is billed by. */
type BilledCall = Pick<CallCost, "tokens" | "cached" | "summary" | "reRead">;

/** Returns the bill of a call with its summaries, and with reading again what its context lacks. Pure. */
export function wholeBill(call: BilledCall): number {
  // The call that asks sends the prompt, which is in the cache by then, once more.
  const asking = call.reRead > 0 ? cachedInput * call.tokens + output * askingTokens : 0;
  return promptBill(call) + summaryBill(call) + cacheWrite * call.reRead + asking;
}

function promptBill({ tokens, cached }: BilledCall): number {
  return cacheWrite * (tokens - cached) + cachedInput * cached;
}

function summaryBill({ summary }: BilledCall): number {
  return input * summary.input + output * summary.output;
}

/** Returns the bill of the full history in the set and window of a row. */
export function fullBill({ set, window }: CostRow, rows: readonly CostRow[]): number {
  const full = rows.find((row) => row.set === set && row.window === window && row.system === "full history");
  return full?.bill ?? Number.NaN;
}
