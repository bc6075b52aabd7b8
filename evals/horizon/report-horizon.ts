import type { Chart, Comparison, SuiteResult, Table } from "../suite.js";
import { percent } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";
import type { DecadeRecall } from "./measure-recall.js";
import type { Walk } from "./walk.js";

/** A session that runs until its window overflows or a limit is reached. */
export interface Session {
  readonly name: string;
  /** Most steps of a system in a window, and most seconds of CPU. */
  readonly most: number;
  readonly seconds: number;
  readonly walks: readonly WalkRow[];
}

export type WalkRow = Walk & { readonly recall: readonly DecadeRecall[] };

/**
 * Returns the result of the sessions. It passes when ours overflowed nowhere and every needle was found again, in the prompt or by
 * the agent's own search.
 */
export function reportHorizon(sessions: readonly Session[], seed: number): SuiteResult {
  const walks = sessions.flatMap((session) => session.walks);
  const ours = walks.filter(({ system }) => isOurs(system));
  const lost = ours.flatMap(({ recall }) => recall).filter(({ withSearch }) => withSearch < 1);
  const made = sessions[0]?.walks ?? [];
  return {
    suite: "horizon",
    question:
      "How long can one session go on before the window overflows, and what can still be found again then?",
    cases: walks.length,
    passed:
      ours.some(({ recall }) => recall.length > 0) &&
      lost.length === 0 &&
      ours.every(({ end, steps }) => end !== "overflow" && steps > 0),
    tables: [
      ...sessions.map(stepsTable),
      ...sessions.filter(({ walks: all }) => all.some(({ recall }) => recall.length > 0)).map(recallTable),
    ],
    charts: [promptChart(made)],
    choices: [sessionChoices(made)],
    comparisons: windowsOf(made).flatMap((window) =>
      namesOf(made)
        .filter(isOurs)
        .flatMap((name) => comparisons(made, window, name)),
    ),
    tooSmall: made.filter(({ system, end }) => isOurs(system) && end === "out of time").map(untold),
    numbers: { seed, sessions },
  };
}

function untold({ system, window, steps }: WalkRow): string {
  return `${system} in a window of ${window / 1_000}k: its time ended after ${steps} steps.`;
}

function isOurs(system: string): boolean {
  return system.startsWith("Palimpsest");
}

function stepsTable({ name, walks, most, seconds }: Session): Table {
  return tableOf(walks, {
    title: `Steps until the window overflows: ${name} session`,
    columns: [
      ["system", (walk) => walk.system],
      ["window", (walk) => walk.window],
      ["steps", (walk) => walk.steps],
      ["ended by", (walk) => walk.end],
      ["tokens a step adds", (walk) => Math.round(walk.tokensPerStep)],
      ["mean prompt", (walk) => Math.round(walk.meanPrompt)],
      ["last prompt", (walk) => Math.round(walk.lastPrompt)],
      ["ms a step", lateMs],
      ["heap", (walk) => megabytes(walk.marks.at(-1)?.heapBytes ?? 0)],
      ["on disk", (walk) => megabytes(walk.storedBytes)],
    ],
    note: `At most ${most.toLocaleString("en")} steps and ${seconds} s of CPU for a system in a window. Tokens are four characters each; ms a step and heap are those of the last stretch that was measured. A hard bound wins this test trivially: read it with the recall below.`,
  });
}

function recallTable({ name, walks }: Session): Table {
  const decades = walks.flatMap(({ recall, ...walk }) => recall.map((decade) => ({ ...walk, ...decade })));
  return tableOf(decades, {
    title: `Recall of far needles at the end of the ${name} session, by how many steps back they stood`,
    columns: [
      ["system", ({ system }) => system],
      ["window", ({ window }) => window],
      ["after steps", ({ steps }) => steps],
      ["steps back", ({ from, to }) => `${from.toLocaleString("en")} to ${to.toLocaleString("en")}`],
      ["needles", ({ needles }) => needles],
      ["in the prompt", ({ inPrompt }) => inPrompt],
      ["or found by its search", ({ withSearch }) => withSearch],
    ],
    note: "A needle is a code that stood once, in one result. Found by its search: the system's own search tool was called with the needle's name, and its answer holds the code. Systems without a search tool have what is in the prompt. Each system is asked where it ended, so one that overflowed early is asked about less.",
  });
}

/** Returns how each of our strategies stands a very long session, in the smallest window. */
function sessionChoices(walks: readonly WalkRow[]): Table {
  const window = Math.min(...walks.map((walk) => walk.window));
  const own = walks.filter((walk) => walk.window === window && walk.system.startsWith("Palimpsest "));
  return tableOf(own, {
    title: "Long sessions",
    columns: [
      ["strategy", ({ system }) => system.replace("Palimpsest ", () => "")],
      ["steps", ({ steps }) => steps],
      ["ended by", ({ end }) => end],
      ["mean prompt", ({ meanPrompt }) => Math.round(meanPrompt)],
      ["oldest details in the prompt", ({ recall }) => percent(recall.at(-1)?.inPrompt, 0)],
      ["or found by its search", ({ recall }) => percent(recall.at(-1)?.withSearch, 0)],
      ["ms a step", lateMs],
    ],
    note: `Each strategy through its real node, in a window of ${window.toLocaleString("en")} tokens. Oldest details: strings that stood once, in the oldest decade of distances.`,
  });
}

/** Returns the size of the prompt as the sessions go on, in the largest window. */
function promptChart(walks: readonly WalkRow[]): Chart {
  const window = Math.max(...windowsOf(walks));
  const own = walks.filter((walk) => walk.window === window);
  const longest = Math.max(...own.map(({ steps }) => steps));
  return {
    title: `Tokens of the prompt, window of ${(window / 1000).toLocaleString("en")}k tokens`,
    x: { label: "steps", scale: "log" },
    y: { label: "tokens", scale: "log" },
    series: [
      ...own.map(({ system, marks }) => ({
        label: system,
        points: marks.map(({ step, prompt }) => ({ x: step, y: prompt })),
      })),
      { label: "window", points: [1, longest].map((x) => ({ x, y: window })) },
    ],
    note: "A line ends where the window overflowed, or where the session was ended.",
  };
}

function comparisons(walks: readonly WalkRow[], window: number, name: string): readonly Comparison[] {
  const own = walks.filter((walk) => walk.window === window);
  const ours = own.find(({ system }) => system === name);
  const others = own.filter(({ system }) => !isOurs(system));
  if (ours === undefined || ours.end === "out of time") return [];
  const place = `${name}, generated session, ${(window / 1000).toLocaleString("en")}k window`;
  const survivors = others.filter(({ end }) => end !== "overflow");
  const beside = (
    rivals: readonly WalkRow[],
    value: (walk: WalkRow) => number,
    named: Pick<Comparison, "measure" | "unit" | "better" | "margin">,
  ): readonly Comparison[] => {
    if (rivals.length === 0) return [];
    const measure = `${named.measure}, ${place}`;
    const values = rivals.map((walk) => ({ name: walk.system, value: value(walk) }));
    return [{ ...named, measure, ours: value(ours), rivals: values }];
  };
  return [
    ...beside(others, ({ steps }) => steps, {
      measure: "steps before an overflow",
      unit: "count",
      better: "higher",
      margin: 0.02 * ours.steps,
    }),
    ...beside(survivors, ({ recall }) => recall.at(-1)?.withSearch ?? 0, {
      measure: "recall of the oldest needles, systems without overflow",
      unit: "share",
      better: "higher",
      margin: 0.05,
    }),
    ...beside(survivors, lateMs, {
      measure: "time of a late step, systems without overflow",
      unit: "ms",
      better: "lower",
      margin: 0.1 * lateMs(ours),
    }),
  ];
}

/** Returns the milliseconds of a step in the last stretch that was measured. */
function lateMs({ marks }: WalkRow): number {
  return marks.at(-1)?.msPerStep ?? 0;
}

function namesOf(walks: readonly WalkRow[]): readonly string[] {
  return [...new Set(walks.map(({ system }) => system))];
}

function windowsOf(walks: readonly WalkRow[]): readonly number[] {
  return [...new Set(walks.map(({ window }) => window))];
}

function megabytes(bytes: number): string {
  return bytes <= 0 ? "–" : `${Number((bytes / 1e6).toPrecision(3))} MB`;
}
