import { foldOf } from "@palimpsest/context";
import {
  resolveTarget,
  waitingUnits,
  type FoldUnit,
  type ReplyDirective,
  type ResolvedTarget,
} from "@palimpsest/context/folding";
import type { ResolvedFoldOptions } from "./fold-options.js";

/** Share of the tokens of all blocks that one summary may take. */
const maxSummaryShare = 1 / 8;

interface RefusalOptions {
  readonly options: ResolvedFoldOptions;
  readonly count: (text: string) => number;
}

/**
 * Returns why a directive is refused, as a text for the model; undefined if it can be followed.
 *
 * Refuses text that is not a directive, a target with a gap, a summary longer than what it replaces or than an eighth of
 * `blockTokens`, and a rewrite of a text that was already rewritten more than 4 + 2 log2(steps) times. Pure.
 */
export function refusalOf(
  directive: ReplyDirective,
  units: readonly FoldUnit[],
  { options, count }: RefusalOptions,
): string | undefined {
  if ("refusal" in directive) return directive.refusal;
  const { target, summary } = directive.directive;
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
  const maxTokens = Math.floor(options.blockTokens * maxSummaryShare);
  const replaced = options.tokenCounter(chosen.flatMap(({ messages }) => messages));
  const tokens = count(summary);
  if (tokens > Math.min(maxTokens, replaced)) {
    return `The summary has ${tokens} tokens; it may have ${Math.min(maxTokens, replaced)}, to be shorter than what it replaces.`;
  }
  const rewritten = Math.max(
    0,
    ...chosen.flatMap(({ messages }) => messages).map((one) => foldOf(one)?.generation ?? 0),
  );
  const steps = units.at(-1)?.endStep ?? 1;
  if (rewritten > 4 + 2 * Math.ceil(Math.log2(steps))) {
    return `Part of that was summarized ${rewritten} times already and would lose detail: leave its block as it is.`;
  }
  return undefined;
}
