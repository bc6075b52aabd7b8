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

/** Number of blocks over the limit before any are merged. Merging several at a time changes the prefix rarely. */
const slack = 8;

interface PressureOptions extends PlanFoldOptions {
  /** Number of the latest interaction. */
  readonly step: number;
}

/**
 * Merges blocks until their number is within a limit that grows with the logarithm of the steps, and their tokens within
 * `blockTokens`.
 *
 * Merges blocks of about the same size, like the carries of a binary counter. Always ends: each round leaves fewer units or
 * interactions.
 */
export async function relievePressure(run: FoldRun, { options, step }: PressureOptions): Promise<void> {
  const maxBlocks = blocksFor(step, options.recentBlocks);
  if (blockCount(run.units) > maxBlocks + slack) {
    while (blockCount(run.units) > maxBlocks) {
      const old = nextRun(run.units, options.recentBlocks);
      if (old === undefined) break;
      await run.consolidate(old, "trigger");
    }
  }
  while (tokensOf(run.units, options) > options.blockTokens) {
    const raw = run.units.findIndex(({ kind }, index) => kind === "raw" && !run.mustStay(index));
    const old = raw >= 0 ? undefined : (nextRun(run.units, options.recentBlocks) ?? nextRun(run.units, 1));
    if (raw >= 0) await run.condense(raw, "trigger");
    else if (old === undefined) break;
    else await run.consolidate(old, "trigger");
  }
}

function blockCount(units: readonly FoldUnit[]): number {
  return units.filter(({ kind }) => kind === "block").length;
}

/** Returns the tokens of blocks and interactions, without pins and the user's messages, which are never shortened. */
function tokensOf(units: readonly FoldUnit[], { tokenCounter }: PressureOptions["options"]): number {
  const sizes = units.flatMap(({ messages, kind }) => {
    if (kind === "raw") return tokenCounter(messages);
    // Count as the fold does, without the notice before the first block.
    return messages.flatMap((message) =>
      blockOf(message) === undefined ? [] : (foldOf(message)?.tokensAfter ?? 0),
    );
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the units to merge next, without the newest blocks. */
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
