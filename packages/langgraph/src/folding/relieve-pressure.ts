import { foldOf } from "@palimpsest/context";
import {
  blockOf,
  blocksFor,
  chooseConsolidation,
  type FoldUnit,
  type Run,
} from "@palimpsest/context/folding";
import type { PlanFoldOptions } from "./fold-options.js";
import type { FoldRun } from "./fold-run.js";

/** Blocks above the number that may stand before they are merged: several at once, so that the prefix changes rarely. */
const slack = 8;

interface PressureOptions extends PlanFoldOptions {
  /** Number of the latest interaction. */
  readonly step: number;
}

/**
 * Merges blocks until there are no more than grow with the logarithm of the steps, and until they fit their budget.
 *
 * Blocks of about the same size are merged, as a binary counter carries. Nothing is dropped: what was merged is in the
 * archive. Ends for certain: every round leaves one unit less, or one interaction less.
 */
export async function relievePressure(run: FoldRun, { options, step }: PressureOptions): Promise<void> {
  const most = blocksFor(step, options.recentBlocks);
  if (blocksIn(run.units) > most + slack) {
    while (blocksIn(run.units) > most) {
      const old = nextRun(run.units, options.recentBlocks);
      if (old === undefined) break;
      await run.consolidate(old, "trigger");
    }
  }
  while (tokensOf(run.units, options) > options.blockTokens) {
    const raw = run.units.findIndex(({ kind }, index) => kind === "raw" && !run.isHeld(index));
    const old = raw >= 0 ? undefined : (nextRun(run.units, options.recentBlocks) ?? nextRun(run.units, 1));
    if (raw >= 0) await run.condense(raw, "trigger");
    else if (old === undefined) break;
    else await run.consolidate(old, "trigger");
  }
}

function blocksIn(units: readonly FoldUnit[]): number {
  return units.filter(({ kind }) => kind === "block").length;
}

/** What blocks and interactions take that are not folded yet; pins and the user's words are not theirs to shorten. */
function tokensOf(units: readonly FoldUnit[], { tokenCounter }: PressureOptions["options"]): number {
  const sizes = units.flatMap(({ messages, kind }) => {
    if (kind === "raw") return tokenCounter(messages);
    // As the fold counts it: the notice that stands before the first block is nobody's own.
    return messages.flatMap((message) =>
      blockOf(message) === undefined ? [] : (foldOf(message)?.tokensAfter ?? 0),
    );
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The blocks to merge next, by their index among the units, without the newest ones. */
function nextRun(units: readonly FoldUnit[], recent: number): Run | undefined {
  const stepping = units.flatMap((unit, index) => (unit.kind === "words" ? [] : [{ unit, index }]));
  const old = stepping.slice(0, Math.max(0, stepping.length - recent));
  const rows: (typeof old)[] = [[]];
  for (const one of old) {
    if (one.unit.kind === "block") rows.at(-1)?.push(one);
    else rows.push([]);
  }
  const row = rows.reduce((longest, other) => (other.length > longest.length ? other : longest), []);
  const chosen = chooseConsolidation(row.map(({ unit }) => unit));
  const [from, to] = [row[chosen?.from ?? -1], row[chosen?.to ?? -1]];
  return from === undefined || to === undefined ? undefined : { from: from.index, to: to.index };
}
