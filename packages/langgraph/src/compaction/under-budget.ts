import { defaults, lowerTrigger } from "@palimpsest/context";
import type { BudgetLevel } from "../context-options.js";
import type { NodeConfig } from "../node-config.js";
import type { ResolvedOptions } from "../resolve-options.js";

const notches: Readonly<Record<BudgetLevel, number>> = { normal: 0, fallback: 1, exhausted: 2 };

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

function levelOf({ budget }: ResolvedOptions, config: NodeConfig | undefined): BudgetLevel {
  try {
    return budget?.(config) ?? "normal";
  } catch {
    return "normal";
  }
}
