import { chunksOf } from "../data/chunks.js";
import type { Comparison, Suite, Table } from "../suite.js";
import { factSystems, foldings, ladders, type FactSystem, type FactTool } from "./fact-systems.js";
import { makeHistory, type AskedFor, type FactQuestion, type History } from "./made-history.js";
import { factsSeen, textOfContext, type FactsSeen } from "./measure-facts.js";
import { percent } from "../report/format-value.js";

const kinds: readonly AskedFor[] = ["the newest value", "all of a topic", "the order of events"];

/** What a system shows of the facts, in its context and with the answer of one search. */
interface FactRow {
  readonly window: number;
  readonly system: string;
  readonly isControl: boolean;
  readonly questions: number;
  /** Questions for a newest value, over the ends of all sessions. */
  readonly newest: number;
  /** Mean over the ends of all sessions. */
  readonly inContext: FactShares;
  /** With the answer of one call at the end of the last session, by tool that the agent has. */
  readonly found: Readonly<Partial<Record<FactTool, FactShares>>>;
}

interface FactShares {
  /** By what is asked for: share of the facts, and of the questions whose facts are complete and in order. */
  readonly share: Readonly<Record<AskedFor, number>>;
  readonly whole: Readonly<Record<AskedFor, number>>;
  /** Share of the superseded facts of which an old value stands there without its successor. */
  readonly stale: number;
}

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
      rows.push(await rowOf(system, histories, window));
    }
  const ours = rows.filter(({ system }) => Object.values<string>(ladders).includes(system));
  return {
    suite: "facts",
    question:
      "Of facts that were superseded, belong together or have an order: what is in sight, and what is found?",
    cases: ours.reduce((sum, { questions }) => sum + questions, 0),
    passed:
      ours.length > 0 &&
      ours.every(holds) &&
      windows.every((window) => [ladders, foldings].every((forms) => isKeptByModel(forms, { rows, window }))),
    tables: windows.map((window) =>
      table(
        rows.filter((row) => row.window === window),
        window,
      ),
    ),
    charts: [],
    comparisons: ours.flatMap((row) => comparisonsOf(row, rows)),
    numbers: { rows },
  };
};

type Ask = (question: FactQuestion) => Promise<string>;

async function rowOf(system: FactSystem, histories: readonly History[], window: number): Promise<FactRow> {
  const inContext: FactsSeen[] = [];
  const found = new Map<FactTool, FactsSeen[]>();
  for (const { messages, questions } of histories) {
    const run = system.start(window);
    let text = "";
    for (const chunk of chunksOf(messages)) {
      text = textOfContext(await run.context(chunk.messages, { chunk: chunk.index + 1, needed: [] }));
      const now = messages.indexOf(chunk.messages[0]!) + chunk.messages.length;
      const isEnd = messages[now - 1]?.id?.startsWith("e") === true;
      if (isEnd) inContext.push(...factsSeen(questions, { context: text }, now));
    }
    for (const [tool, ask] of Object.entries(run.tools ?? {}) as [FactTool, Ask][]) {
      const seen = found.get(tool) ?? [];
      found.set(tool, seen);
      for (const question of questions)
        seen.push(...factsSeen([question], { context: text, answer: await ask(question) }, messages.length));
    }
  }
  return {
    window,
    system: system.name,
    isControl: system.isControl === true,
    questions: histories.reduce((sum, { questions }) => sum + questions.length, 0),
    newest: inContext.filter(({ kind }) => kind === "the newest value").length,
    inContext: sharesOf(inContext),
    found: Object.fromEntries([...found].map(([tool, seen]) => [tool, sharesOf(seen)])),
  };
}

function sharesOf(seen: readonly FactsSeen[]): FactShares {
  const mean = (of: AskedFor, value: (one: FactsSeen) => number) => {
    const own = seen.filter(({ kind }) => kind === of);
    return own.reduce((sum, one) => sum + value(one), 0) / own.length;
  };
  const byKind = (value: (one: FactsSeen) => number) =>
    Object.fromEntries(kinds.map((kind) => [kind, mean(kind, value)])) as Record<AskedFor, number>;
  return {
    share: byKind(({ share }) => share),
    whole: byKind(({ isWhole }) => Number(isWhole)),
    stale: mean("the newest value", ({ isStale }) => Number(isStale)),
  };
}

/** Share of the newest values that the context has to show, by its window: about those of the newest messages alone. */
const newestInSight: Readonly<Record<number, number>> = { 8_000: 0.5, 16_000: 0.8 };

/** Newest values that a context with a model may lack and one without has: a share of them, and one of few. */
const lackedByModel = { share: 0.03, least: 1 };

/** What a context without a model shows, it has to show with one as well. */
function isKeptByModel(
  { extracted, scripted }: Readonly<Record<"extracted" | "scripted", string>>,
  { rows, window }: { readonly rows: readonly FactRow[]; readonly window: number },
): boolean {
  const rowNamed = (name: string) => rows.find((row) => row.system === name && row.window === window);
  const shownIn = (row: FactRow | undefined) => row?.inContext.share["the newest value"] ?? Number.NaN;
  const [without, withModel] = [rowNamed(extracted), rowNamed(scripted)];
  const lacked = Math.max(lackedByModel.share, lackedByModel.least / (without?.newest ?? Infinity));
  return shownIn(withModel) >= shownIn(without) - lacked - 1e-9;
}

/** The context and one grep show the newest values, topics and order of events, and few old values stand alone. */
function holds({ window, inContext, found: { grep } }: FactRow): boolean {
  return (
    inContext.stale <= 0.2 &&
    inContext.share["the newest value"] >= (newestInSight[window] ?? 0) &&
    grep !== undefined &&
    grep.share["the newest value"] >= 0.95 &&
    grep.stale <= 0.05 &&
    grep.whole["all of a topic"] >= 0.9 &&
    grep.whole["the order of events"] >= 0.9
  );
}

function rivalsOf(own: FactRow, rows: readonly FactRow[]): readonly FactRow[] {
  return rows.filter(
    ({ window, system, isControl }) =>
      window === own.window && !isControl && !system.startsWith("Palimpsest"),
  );
}

function comparisonsOf(own: FactRow, rows: readonly FactRow[]): readonly Comparison[] {
  const rivals = (value: (row: FactRow) => number | undefined) =>
    rivalsOf(own, rows).flatMap((row) => {
      const measured = value(row);
      return measured === undefined ? [] : [{ name: row.system, value: measured }];
    });
  const measured = (
    measure: string,
    better: Comparison["better"],
    value: (row: FactRow) => number | undefined,
  ): Comparison => ({
    measure: `${measure}, ${own.system}, window of ${own.window / 1_000}k`,
    unit: "share",
    better,
    ours: value(own) ?? Number.NaN,
    rivals: rivals(value),
    margin: 0.02,
  });
  return [
    measured(
      "superseded facts whose old value stands alone in the context",
      "lower",
      (row) => row.inContext.stale,
    ),
    measured("newest values in sight", "higher", (row) => row.inContext.share["the newest value"]),
    measured(
      "newest values in sight after one grep",
      "higher",
      (row) => row.found.grep?.share["the newest value"],
    ),
    measured("topics complete after one grep", "higher", (row) => row.found.grep?.whole["all of a topic"]),
    measured(
      "events complete and in order after one grep",
      "higher",
      (row) => row.found.grep?.whole["the order of events"],
    ),
  ];
}

function table(rows: readonly FactRow[], window: number): Table {
  const columns = [
    "newest value",
    "old value alone",
    "facts of a topic",
    "topics complete",
    "events in order",
  ];
  return {
    title: `Facts in sight, window of ${window / 1_000}k`,
    columns: ["system", "seen in", ...columns],
    rows: rows.flatMap(({ system, inContext, found }) => [
      [system, "its context", ...shownShares(inContext)],
      ...Object.entries(found).map(([tool, shares]) => [
        system,
        `its context and one ${tool}`,
        ...shownShares(shares),
      ]),
    ]),
    note:
      "Generated sessions of notes. A scripted summary is by the model of langchain and deepagents: the newest lines of what it is shown; an extracted one needs no model. Old value alone: share of the facts with a newer value of which an old value stands there and the newest does not; " +
      "lower is better. Its context: mean over the ends of the sessions. One grep: for words that stand beside the facts, which an agent has to " +
      "know; what it finds stands where the context names its file, and before the context where it does not. One search_history: with the question, 20 passages, within the characters that the tool answers.",
  };
}

function shownShares({ share, whole, stale }: FactShares): readonly string[] {
  return [
    percent(share["the newest value"], 0),
    percent(stale, 0),
    percent(share["all of a topic"], 0),
    percent(whole["all of a topic"], 0),
    percent(whole["the order of events"], 0),
  ];
}
