import { foldOf } from "@palimpsest/context";
import {
  resolveTarget,
  waitingUnits,
  type FoldDirective,
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
 * Refuses text that is not a directive, one less sure than `minConfidence`, a target with a gap, a granular condensation of
 * anything but the latest interaction, a summary longer than what it replaces or than an eighth of
 * `blockTokens`, and a rewrite of a text that was already rewritten more than 4 + 2 log2(steps) times. Pure.
 */
export function refusalOf(
  directive: ReplyDirective,
  units: readonly FoldUnit[],
  { options, count }: RefusalOptions,
): string | undefined {
  if ("refusal" in directive) return directive.refusal;
  const unsure = unsureOf(directive.directive, options);
  if (unsure !== undefined) return unsure;
  const { target, summary, isGranular = false } = directive.directive;
  const resolved: ResolvedTarget =
    target === undefined ? { from: units.length - 1, to: units.length - 1 } : resolveTarget(units, target);
  if ("refusal" in resolved) return resolved.refusal;
  if (isGranular && resolved.from !== units.length - 1) {
    return "A granular condensation replaces the latest interaction alone: leave target out, or use deep_consolidation.";
  }
  const chosen = units.slice(resolved.from, resolved.to + 1);
  return unfoldableOf(chosen, units) ?? tooLongOf(summary, chosen, { options, count });
}

function unsureOf(
  { confidence = 1 }: FoldDirective,
  { minConfidence }: ResolvedFoldOptions,
): string | undefined {
  if (confidence >= minConfidence) return undefined;
  return `The fold waits: its confidence is ${confidence}, and folds need ${minConfidence}. Direct it again once you are sure.`;
}

/** Why these units become no block, whatever the summary says. */
function unfoldableOf(chosen: readonly FoldUnit[], units: readonly FoldUnit[]): string | undefined {
  if (chosen.length === 1 && chosen[0]?.kind === "block") {
    return "That is one block already: name at least two, or go up to the latest interaction.";
  }
  const waiting = waitingUnits(units);
  const open = chosen.find((unit) => waiting.has(unit));
  if (open !== undefined)
    return `Step ${open.startStep} still waits for a result: fold it once that is there.`;
  const rewritten = Math.max(
    0,
    ...chosen.flatMap(({ messages }) => messages).map((one) => foldOf(one)?.generation ?? 0),
  );
  const steps = units.at(-1)?.endStep ?? 1;
  if (rewritten <= 4 + 2 * Math.ceil(Math.log2(steps))) return undefined;
  return `Part of that was summarized ${rewritten} times already and would lose detail: leave its block as it is.`;
}

function tooLongOf(
  summary: string,
  chosen: readonly FoldUnit[],
  { options, count }: RefusalOptions,
): string | undefined {
  const replaced = options.tokenCounter(chosen.flatMap(({ messages }) => messages));
  const limit = Math.min(Math.floor(options.blockTokens * maxSummaryShare), replaced);
  const tokens = count(summary);
  if (tokens <= limit) return undefined;
  return `The summary has ${tokens} tokens; it may have ${limit}, to be shorter than what it replaces.`;
}
