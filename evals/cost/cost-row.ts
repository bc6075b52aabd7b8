import type { CallCost } from "./measure-cost.js";

/** What a policy costs and keeps over the runs of a set. Tokens are of four characters. */
export interface CostRow {
  readonly set: string;
  readonly policy: string;
  readonly window: number;
  readonly calls: number;
  readonly mean: number;
  readonly peak: number;
  /** All prompts together. */
  readonly total: number;
  /** Share of the prompts that the provider had in its cache. */
  readonly stable: number;
  readonly breaks: number;
  /** Prompts at 1.25 for what is new to the cache and 0.1 for what is in it. */
  readonly bill: number;
  /** What would have to be read again at least, for all calls together. */
  readonly reRead: number;
  readonly illegal: number;
  /** Share of the prompts with the goal. */
  readonly goal: number;
  readonly constraints: number;
  readonly control: number;
  /** Mean tokens at each call, over the runs that are still going. */
  readonly curve: readonly number[];
}

const price = { uncached: 1.25, cached: 0.1 };

/** Returns the sums and means over the calls of all runs. */
export function costRow(
  names: Pick<CostRow, "set" | "policy" | "window">,
  runs: readonly (readonly CallCost[])[],
): CostRow {
  const calls = runs.flat();
  const sum = (value: (call: CallCost) => number) => calls.reduce((total, call) => total + value(call), 0);
  const total = sum(({ tokens }) => tokens);
  const cached = sum((call) => call.cached);
  return {
    ...names,
    calls: calls.length,
    mean: total / calls.length,
    peak: Math.max(...calls.map(({ tokens }) => tokens)),
    total,
    stable: cached / total,
    breaks: sum(({ isBroken }) => (isBroken ? 1 : 0)),
    bill: price.uncached * (total - cached) + price.cached * cached,
    reRead: sum(({ reRead }) => reRead),
    illegal: sum(({ illegal }) => illegal),
    goal: sum(({ hasGoal }) => (hasGoal ? 1 : 0)) / calls.length,
    constraints: meanOf(calls.flatMap(({ constraints }) => constraints ?? [])),
    control: meanOf(calls.flatMap(({ control }) => control ?? [])),
    curve: curveOf(runs),
  };
}

function curveOf(runs: readonly (readonly CallCost[])[]): readonly number[] {
  const longest = Math.max(...runs.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => meanOf(runs.flatMap((calls) => calls[at]?.tokens ?? [])));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
