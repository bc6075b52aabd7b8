import type { KeptRun } from "./kept-runs.js";
import { markdownSection } from "./markdown.js";
import { verdictOf, type Standing, type Verdict } from "./verdict.js";
import { verdictTable } from "./verdict-table.js";

/** A page of the documentation whose figures come from the report. */
export interface FiguresPage {
  /** File in `docs/`. */
  readonly name: string;
  /** True for a run that has figures of the page. */
  readonly uses: (run: KeptRun) => boolean;
  readonly figures: (runs: readonly KeptRun[]) => string;
}

/** Where Palimpsest is ahead, level and behind. */
export const evidencePage: FiguresPage = {
  name: "evidence.md",
  uses: ({ result }) => (result.comparisons ?? []).length > 0,
  figures: compactTable,
};

/** What each strategy of ours keeps and costs. */
export const choosingPage: FiguresPage = {
  name: "choosing.md",
  uses: ({ result }) => (result.choices ?? []).length > 0,
  figures: (runs) =>
    runs
      .flatMap(({ result }) => result.choices ?? [])
      .map((table) => markdownSection(table))
      .join("\n\n"),
};

const begin = "<!-- eval table: npm run eval -- --readme -->";
const end = "<!-- end of eval table -->";

/**
 * Returns a page with its block of figures replaced by those of the runs. Pure.
 *
 * @throws Error when the page has no block, or nothing was measured.
 */
export function replaceFigures(text: string, page: FiguresPage, runs: readonly KeptRun[]): string {
  const used = runs.filter(page.uses);
  if (used.length === 0) throw new Error("Nothing was measured yet: run `npm run eval` first");
  const quick = used.filter((run) => run.quick).map(({ result }) => result.suite);
  if (quick.length > 0)
    throw new Error(`Measured with --quick: ${quick.join(", ")}. Run them without it first`);
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new Error(`The page has no block: add the lines\n${begin}\n${end}`);
  return `${text.slice(0, from)}${begin}\n\n${page.figures(used)}\n\n${text.slice(to)}`;
}

const standings: readonly Standing[] = ["ahead", "level", "behind"];

/** One row for each standing of a suite, its worst, so that no suite hides a measure or a set in which it is behind. */
function compactTable(runs: readonly KeptRun[]): string {
  const all = runs.map(({ result }) => (result.comparisons ?? []).map(verdictOf));
  const rows = all.flatMap((verdicts) => standings.flatMap((standing) => worstOf(verdicts, standing)));
  const counts = standings.map((standing) => {
    const count = all.flat().filter((verdict) => verdict.standing === standing).length;
    return `${standing} in ${count}`;
  });
  const sum = `Of ${all.flat().length} measures, against the best of the others in each: ${counts.join(", ")}. A row is the worst of its kind in a suite, relative to the best of the others; all of them are in the report (\`npm run eval\`).`;
  return [verdictTable(rows), sum, ...unmet(runs)].join("\n\n");
}

/** Names the suites that require more of Palimpsest than it does. */
function unmet(runs: readonly KeptRun[]): readonly string[] {
  const names = runs.filter(({ result }) => !result.passed).map(({ result }) => `\`${result.suite}\``);
  return names.length === 0 ? [] : [`What a suite requires does not hold in ${names.join(", ")}.`];
}

/** How far ahead, as a share of the best of the others. */
const shareOf = ({ lead, best }: Verdict) => lead / (Math.abs(best.value) || 1);

function worstOf(verdicts: readonly Verdict[], standing: Standing): readonly Verdict[] {
  return verdicts
    .filter((verdict) => verdict.standing === standing)
    .toSorted((a, b) => shareOf(a) - shareOf(b))
    .slice(0, 1);
}
