import { formatValue } from "../report/format-value.js";
import type { Comparison, Table } from "../suite.js";
import { estimatesOf, type Cell } from "./cells.js";
import { families, type Family } from "./families.js";
import { difficulties } from "./made-case.js";
import { cycles, type PlayedCase } from "./play-case.js";
import { compactingSystems } from "./systems.js";
import { tableOf } from "../report/table-of.js";
import { sumOf } from "../metrics/sum-of.js";

const rules =
  "By the rules of CompactBench 0.2.0 (Apache-2.0, scorer 2.0.0), with cases and a scripted reader of our own; oracle, null and truncate-last-n are its controls.";

/** Returns each system over all cases. */
export function overallTable(played: readonly PlayedCase[], window: number): Table {
  const systems = compactingSystems.map(({ name }) => {
    const own = played.filter(({ system }) => system === name);
    const sum = (field: "threadTokens" | "contextTokens" | "unfit" | "prompts") =>
      sumOf(own, (one) => one[field]);
    return { name, sum, ...estimatesOf(own) };
  });
  return tableOf(systems, {
    title: `Score over ${cycles} cycles of compaction, window of ${window / 1_000}k`,
    columns: [
      ["system", ({ name }) => name],
      ["score", ({ score }) => shown(score.mean)],
      ["95 % interval", ({ score }) => `${shown(score.low)} to ${shown(score.high)}`],
      ["drift resistance", ({ drift }) => shown(drift.mean)],
      ["by last mention", ({ lastMention }) => shown(lastMention.mean)],
      [
        "compression",
        ({ name, sum }) =>
          name === "null" ? "–" : `${(sum("threadTokens") / sum("contextTokens")).toFixed(1)} ×`,
      ],
      ["prompts over the window", ({ sum }) => `${sum("unfit")} of ${sum("prompts")}`],
    ],
    note: `${rules} Everybody compacts at .85 of the window and keeps its newest tenth; each cycle brings 1.25 windows of new text. Drift resistance: mean of the later cycles by the first. By last mention: the score where a sentence that a record repeats counts as said anew. What null scores is to be had without knowing anything.`,
  });
}

/** Returns a table for each family: score and drift resistance by difficulty. */
export function tablesByFamily(cells: readonly Cell[], window: number): readonly Table[] {
  const columns = difficulties.filter((difficulty) => cells.some((one) => one.difficulty === difficulty));
  return (Object.keys(families) as Family[]).map((family) => ({
    title: `${family}, window of ${window / 1_000}k: score / drift resistance`,
    columns: ["system", ...columns],
    rows: compactingSystems.map(({ name }) => [
      name,
      ...columns.map((difficulty) => {
        const cell = cells.find(
          (one) => one.system === name && one.family === family && one.difficulty === difficulty,
        );
        return cell === undefined ? "–" : `${shown(cell.score.mean)} / ${shown(cell.drift.mean)}`;
      }),
    ]),
  }));
}

/** Returns our worst difficulty of each family beside that of each rival, and the decisions by their last mention as well. */
export function comparisonsOf(cells: readonly Cell[], window: number): readonly Comparison[] {
  const ours = compactingSystems.filter(({ isOurs }) => isOurs === true);
  const rivals = compactingSystems.filter(({ isOurs, isControl }) => isOurs !== true && isControl !== true);
  const compared = (family: Family, score: (cell: Cell) => number, how = "") =>
    ours.map(({ name }): Comparison => {
      const worst = (system: string) =>
        Math.min(...cells.filter((one) => one.system === system && one.family === family).map(score));
      return {
        measure: `CompactBench's rules, ${family}${how}, worst difficulty, ${name}, window of ${window / 1_000}k`,
        unit: "share",
        better: "higher",
        ours: worst(name),
        rivals: rivals.map((rival) => ({ name: rival.name, value: worst(rival.name) })),
        margin: 0.02,
      };
    });
  return [
    ...(Object.keys(families) as Family[]).flatMap((family) => compared(family, ({ score }) => score.mean)),
    ...compared("decision_override", ({ lastMention }) => lastMention.mean, " by the last mention"),
  ];
}

function shown(value: number): string {
  return formatValue(value, "share");
}
