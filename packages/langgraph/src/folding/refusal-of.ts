import { foldOf } from "@palimpsest/context";
import {
  resolveTarget,
  waitingUnits,
  type FoldUnit,
  type GivenDirective,
  type ResolvedTarget,
} from "@palimpsest/context/folding";
import type { ResolvedFoldOptions } from "./fold-options.js";

/** Share of the tokens of all blocks that one summary may take. */
const largestShare = 1 / 8;

interface RefusalOptions {
  readonly options: ResolvedFoldOptions;
  readonly count: (text: string) => number;
}

/**
 * Returns why a directive is not followed, in words for the model, or undefined for one that is.
 *
 * Refused are: no directive at all, a target with a gap, a summary that is longer than what it replaces or than its
 * share of the budget, and one more rewriting of a text that was rewritten 4 + 2 log2(steps) times already.
 */
export function refusalOf(
  asked: GivenDirective,
  units: readonly FoldUnit[],
  { options, count }: RefusalOptions,
): string | undefined {
  if ("refusal" in asked) return asked.refusal;
  const { target, summary } = asked.directive;
  const resolved: ResolvedTarget =
    target === undefined ? { from: units.length - 1, to: units.length - 1 } : resolveTarget(units, target);
  if ("refusal" in resolved) return resolved.refusal;
  const chosen = units.slice(resolved.from, resolved.to + 1);
  if (chosen.length === 1 && chosen[0]?.kind === "block") {
    return "That is one block already: name at least two, or go up to the latest interaction.";
  }
  const waiting = waitingUnits(units);
  const open = chosen.find((unit) => waiting.has(unit));
  if (open !== undefined)
    return `Step ${open.startStep} still waits for a result: fold it once that is there.`;
  const most = Math.floor(options.blockTokens * largestShare);
  const replaced = options.tokenCounter(chosen.flatMap(({ messages }) => messages));
  const tokens = count(summary);
  if (tokens > Math.min(most, replaced)) {
    return `The summary has ${tokens} tokens; it may have ${Math.min(most, replaced)}, to be shorter than what it replaces.`;
  }
  const rewritten = Math.max(
    0,
    ...chosen.flatMap(({ messages }) => messages).map((one) => foldOf(one)?.generation ?? 0),
  );
  const steps = units.at(-1)?.endStep ?? 1;
  if (rewritten > 4 + 2 * Math.ceil(Math.log2(steps))) {
    return `Part of that was summarized ${rewritten} times already and would wear away: leave its block as it is.`;
  }
  return undefined;
}
