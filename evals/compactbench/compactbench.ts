import { number, readOptions } from "../run/read-options.js";
import type { Suite } from "../suite.js";
import { families, type Family } from "./families.js";
import { difficulties, makeCase } from "./made-case.js";
import { playCase, type PlayedCase } from "./play-case.js";
import { cellsOf, type Cell } from "./cells.js";
import { comparisonsOf, overallTable, tablesByFamily } from "./report-compactbench.js";
import { compactingSystems } from "./systems.js";

/** Replicates begin here: everything that was chosen was chosen with smaller seeds. */
const firstSeed = 11;

/**
 * Cases by the rules of CompactBench 0.2.0 (Apache-2.0, scorer 2.0.0): what stays known over repeated compactions.
 * `[--window N] [--seeds N] [--first-seed N]`
 */
export const compactbench: Suite = async ({ quick = false, args, progress }) => {
  const {
    window,
    seeds,
    "first-seed": first,
  } = readOptions(args, {
    window: number(2_000, 4_000),
    seeds: number(1, quick ? 2 : 4),
    "first-seed": number(0, firstSeed),
  });
  const names = Object.keys(families) as Family[];
  const levels = quick ? (["easy", "elite"] as const) : difficulties;
  const cases = names.flatMap((family) =>
    levels.flatMap((difficulty) =>
      Array.from({ length: seeds }, (_, at) => makeCase(family, difficulty, first + at)),
    ),
  );
  const results: PlayedCase[] = [];
  for (const [at, system] of compactingSystems.entries()) {
    progress(`${at}/${compactingSystems.length} ${system.name} at ${window}`);
    for (const one of cases) results.push(await playCase(one, system, window));
  }
  const cells = cellsOf(results);
  return {
    suite: "compactbench",
    question:
      "By the rules of CompactBench: what does a model still know of rules, decisions and owners after repeated compactions?",
    cases: cases.length,
    passed: holds(cells, results),
    tables: [overallTable(results, window), ...tablesByFamily(cells, window)],
    charts: [],
    comparisons: comparisonsOf(cells, window),
    ...(quick ? { tooSmall: ["how the score falls with the difficulty: two of four, two seeds each."] } : {}),
    numbers: {
      window,
      seeds,
      cells,
      played: results.map(({ case: { family, difficulty, seed }, ...rest }) => ({
        family,
        difficulty,
        seed,
        ...rest,
      })),
    },
  };
};

/** Least score of ours, as a share of the one of the whole thread, and least drift resistance, in every family and difficulty. */
const required = { score: 0.95, drift: 0.95 };

/** The scale tells everything from nothing, and ours stays near its upper end, inside the window. */
export function holds(cells: readonly Cell[], results: readonly PlayedCase[]): boolean {
  const named = (name: string) => cells.filter(({ system }) => system === name);
  const ours = new Set(compactingSystems.filter(({ isOurs }) => isOurs === true).map(({ name }) => name));
  const own = cells.filter(({ system }) => ours.has(system));
  return (
    own.length > 0 &&
    named("oracle").every(({ score }) => score.mean === 1) &&
    named("null").every(({ score }) => score.mean <= 0.75) &&
    own.every(({ score, drift }) => score.mean >= required.score && drift.mean >= required.drift) &&
    results.every(({ system, unfit }) => !ours.has(system) || unfit === 0)
  );
}
