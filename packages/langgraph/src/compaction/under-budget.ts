import { defaults, lowerTrigger } from "@palimpsest/context";
import type { NodeConfig } from "../node-config.js";
import type { ResolvedOptions } from "../resolve-options.js";

/** How well the money or the quota behind a run lasts. */
export type BudgetLevel = "normal" | "fallback" | "exhausted";

const notches: Readonly<Record<string, number>> = { normal: 0, fallback: 1, exhausted: 2 };

/**
 * Returns the options for the budget that the host reports: with each notch the trigger is 10 points of the window
 * lower, and one turn less is kept, but at least one (SynthOrg, recommendation 8). Never throws.
 */
export function underBudget(options: ResolvedOptions, config: NodeConfig | undefined): ResolvedOptions {
  const notch = notches[levelOf(options, config)] ?? 0;
  if (notch === 0) return options;
  const { trigger, keep, contextWindow } = options;
  const turns = keep.turns === undefined ? {} : { turns: Math.max(1, keep.turns - notch) };
  return {
    ...options,
    trigger: lowerTrigger(trigger, notch * defaults.budgetPoints, contextWindow),
    keep: { ...keep, ...turns },
  };
}

function levelOf({ budget }: ResolvedOptions, config: NodeConfig | undefined): string {
  try {
    return budget?.(config) ?? "normal";
  } catch {
    return "normal";
  }
}
