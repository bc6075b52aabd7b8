import { billedPrices } from "../policies/palimpsest-planned.js";
import type { CallCost } from "./measure-cost.js";

/** What a policy costs and keeps over the runs of a set. Tokens are of four characters; bills are in tokens of input. */
export interface CostRow {
  readonly set: string;
  readonly policy: string;
  readonly window: number;
  readonly calls: number;
  readonly mean: number;
  readonly peak: number;
  /** All prompts together. */
  readonly total: number;
  /** Share of prompt tokens that the provider had in its cache. */
  readonly stable: number;
  /** The same between compactions: share of the previous prompt that is still a prefix, where the prompt did not shrink. */
  readonly between: number;
  readonly breaks: number;
  /** Cost of the prompts: new tokens at the price of a cache write, others at the price of a cached token. */
  readonly bill: number;
  /** The calls of the summary model. */
  readonly summaries: number;
  /** Tokens that the agent would have to read again at least, over all calls. */
  readonly reRead: number;
  /** Prompts, summary calls and reading again. */
  readonly whole: number;
  /** Mean share of what a call needs that is in its context. */
  readonly recall: number;
  readonly illegal: number;
  /** Share of the prompts with the goal. */
  readonly goal: number;
  readonly constraints: number;
  readonly control: number;
  /** Mean tokens at each call, over the runs that have not ended. */
  readonly curve: readonly number[];
}

const { input, output, cachedInput, cacheWrite } = billedPrices;

/** Returns the sums and means over the calls of all runs. */
export function costRow(
  names: Pick<CostRow, "set" | "policy" | "window">,
  runs: readonly (readonly CallCost[])[],
): CostRow {
  const calls = runs.flat();
  const sum = (value: (call: CallCost) => number) => calls.reduce((total, call) => total + value(call), 0);
  const total = sum(({ tokens }) => tokens);
  const cached = sum((call) => call.cached);
  const bill = cacheWrite * (total - cached) + cachedInput * cached;
  const summaries = sum(({ summary }) => input * summary.input + output * summary.output);
  const reRead = sum((call) => call.reRead);
  return {
    ...names,
    calls: calls.length,
    mean: total / calls.length,
    peak: Math.max(...calls.map(({ tokens }) => tokens)),
    total,
    stable: cached / total,
    between: betweenCompactions(calls),
    breaks: sum(({ isBroken }) => (isBroken ? 1 : 0)),
    bill,
    summaries,
    reRead,
    whole: bill + summaries + cacheWrite * reRead,
    recall: meanOf(calls.flatMap(({ recall }) => recall ?? [])),
    illegal: sum(({ illegal }) => illegal),
    goal: sum(({ hasGoal }) => (hasGoal ? 1 : 0)) / calls.length,
    constraints: meanOf(calls.flatMap(({ constraints }) => constraints ?? [])),
    control: meanOf(calls.flatMap(({ control }) => control ?? [])),
    curve: curveOf(runs),
  };
}

/** A prompt shorter than the previous one counts as a compaction, whatever the policy calls it. */
function betweenCompactions(calls: readonly CallCost[]): number {
  const grown = calls.filter(({ tokens, before }) => before > 0 && tokens >= before);
  const sum = (value: (call: CallCost) => number) => grown.reduce((total, call) => total + value(call), 0);
  return sum(({ cached }) => cached) / sum(({ before }) => before);
}

function curveOf(runs: readonly (readonly CallCost[])[]): readonly number[] {
  const longest = Math.max(...runs.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => meanOf(runs.flatMap((calls) => calls[at]?.tokens ?? [])));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
