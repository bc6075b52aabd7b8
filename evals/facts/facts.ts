import { groupsOf } from "../metrics/groups-of.js";
import { sumOf } from "../metrics/sum-of.js";
import type { Suite } from "../suite.js";
import { rowsOf, type FactRow } from "./fact-row.js";
import { factSystems, foldings, ladders, type Forms } from "./fact-systems.js";
import { makeHistory } from "./made-history.js";
import { comparisonsOf, factTable } from "./report-facts.js";

/** Measures what is in sight of facts that supersede each other, belong together, or have an order. */
export const facts: Suite = async ({ data, quick = false, progress }) => {
  // The larger window is played with recorded runs.
  const windows = quick || data === undefined ? [8_000] : [8_000, 16_000];
  // Everything that was chosen by this measure was chosen with seeds 1 and 2.
  const histories = (quick ? [3] : [3, 4]).map((seed) => makeHistory(seed, quick ? 6 : 12));
  const rows: FactRow[] = [];
  for (const window of windows)
    for (const [at, system] of factSystems.entries()) {
      progress(`${at}/${factSystems.length} ${system.name} at ${window}`);
      rows.push(...(await rowsOf(system, histories, window)));
    }
  const names = Object.values(ladders);
  const byWindow = groupsOf(rows, ({ window }) => window).map(([, own]) => own);
  return {
    suite: "facts",
    question:
      "Of facts that were superseded, belong together or have an order: what is in sight, and what is found?",
    cases: windows.length * names.length * sumOf(histories, ({ questions }) => questions.length),
    passed: byWindow.every(
      (own) =>
        names.every((name) => holds(name, own)) &&
        [ladders, foldings].every((forms) => isKeptByModel(forms, own)),
    ),
    tables: byWindow.map(factTable),
    charts: [],
    comparisons: byWindow.flatMap((own) => names.flatMap((name) => comparisonsOf(name, own))),
    numbers: { rows },
  };
};

/** Share of the newest values that the context has to show, by its window: about those of the newest messages alone. */
const newestInSight: Readonly<Record<number, number>> = { 8_000: 0.5, 16_000: 0.8 };

/** The context and one grep show the newest values, topics and order of events, and few old values stand alone. */
function holds(name: string, rows: readonly FactRow[]): boolean {
  const [context, grep] = (["its context", "grep"] as const).map((place) => rowIn(rows, name, place));
  return (
    context !== undefined &&
    context.stale <= 0.2 &&
    context.newest >= (newestInSight[context.window] ?? 0) &&
    grep !== undefined &&
    grep.newest >= 0.95 &&
    grep.stale <= 0.05 &&
    grep.topics >= 0.9 &&
    grep.events >= 0.9
  );
}

/** Newest values that a context with a model may lack and one without has: a share of them, and one of few. */
const lackedByModel = { share: 0.03, least: 1 };

/** What a context without a model shows, it has to show with one as well. */
function isKeptByModel({ extracted, scripted }: Forms, rows: readonly FactRow[]): boolean {
  const [without, withModel] = [extracted, scripted].map((name) => rowIn(rows, name, "its context"));
  if (without === undefined || withModel === undefined) return false;
  const lacked = Math.max(lackedByModel.share, lackedByModel.least / without.asked);
  return withModel.newest >= without.newest - lacked - 1e-9;
}

function rowIn(rows: readonly FactRow[], name: string, place: FactRow["seenIn"]): FactRow | undefined {
  return rows.find(({ system, seenIn }) => system === name && seenIn === place);
}
