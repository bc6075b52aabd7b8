import type { Chart, Comparison, SuiteResult, Table } from "../suite.js";
import { sessionChoices } from "./choice-table.js";
import type { Session } from "./session.js";
import { tableOf } from "../report/table-of.js";

type WalkRow = Session["walks"][number];

interface Settings {
  readonly seed: number;
}

/**
 * Returns the result of the sessions. It passes when ours overflowed nowhere and every needle was found again, in the prompt or by
 * the agent's own search.
 */
export function reportHorizon(sessions: readonly Session[], settings: Settings): SuiteResult {
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
    charts: charts(made),
    choices: [sessionChoices(made)],
    comparisons: windowsOf(made).flatMap((window) =>
      namesOf(made)
        .filter(isOurs)
        .flatMap((name) => comparisons(made, window, name)),
    ),
    tooSmall: made.filter(({ system, end }) => isOurs(system) && end === "out of time").map(untold),
    numbers: { ...settings, sessions },
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
      ["ms a step", (walk) => walk.marks.at(-1)?.msPerStep ?? 0],
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

function charts(walks: readonly WalkRow[]): readonly Chart[] {
  const window = Math.max(...windowsOf(walks));
  const own = walks.filter((walk) => walk.window === window);
  const title = `window of ${(window / 1000).toLocaleString("en")}k tokens`;
  const curve = (label: string, unit: string, value: (mark: WalkRow["marks"][number]) => number): Chart => ({
    title: `${label}, ${title}`,
    x: { label: "steps", scale: "log" },
    y: { label: unit, scale: "log" },
    series: own.map(({ system, marks }) => ({
      label: system,
      points: marks.map((mark) => ({ x: mark.step, y: value(mark) })),
    })),
  });
  const tokens = curve("Tokens of the prompt", "tokens", ({ prompt }) => prompt);
  const longest = Math.max(...own.map(({ steps }) => steps));
  const line = [1, longest].map((x) => ({ x, y: window }));
  return [
    {
      ...tokens,
      series: [...tokens.series, { label: "window", points: line }],
      note: "A line ends where the window overflowed, or where the session was ended.",
    },
    {
      title: `Recall of needles by distance, ${title}`,
      x: { label: "steps back (end of the decade)", scale: "log" },
      y: { label: "share found, in the prompt or by search", scale: "linear" },
      series: own.map(({ system, recall }) => ({
        label: system,
        points: recall.map(({ to, withSearch }) => ({ x: to, y: withSearch })),
      })),
      note: "Asked where each system ended. What is not in the prompt counts only when the system's own search tool showed it.",
    },
    curve("Time of a step", "ms, mean since the point before", ({ msPerStep }) => msPerStep),
    {
      ...curve("Memory", "MB of heap", ({ heapBytes }) => Math.max(0, heapBytes) / 1e6),
      note: "After a collection, above that at the start of the session.",
    },
  ];
}

function comparisons(walks: readonly WalkRow[], window: number, name: string): readonly Comparison[] {
  const own = walks.filter((walk) => walk.window === window);
  const ours = own.find(({ system }) => system === name);
  const others = own.filter(({ system }) => !isOurs(system));
  if (ours === undefined || ours.end === "out of time" || others.length === 0) return [];
  const place = `${name}, generated session, ${(window / 1000).toLocaleString("en")}k window`;
  const survivors = others.filter(({ end }) => end !== "overflow");
  const steps: Comparison = {
    measure: `steps before an overflow, ${place}`,
    unit: "count",
    better: "higher",
    ours: ours.steps,
    rivals: others.map(({ system, steps }) => ({ name: system, value: steps })),
    margin: 0.02 * ours.steps,
  };
  if (survivors.length === 0) return [steps];
  const farthest = (walk: WalkRow) => walk.recall.at(-1)?.withSearch ?? 0;
  return [
    steps,
    {
      measure: `recall of the oldest needles, systems without overflow, ${place}`,
      unit: "share",
      better: "higher",
      ours: farthest(ours),
      rivals: survivors.map((walk) => ({ name: walk.system, value: farthest(walk) })),
      margin: 0.05,
    },
    {
      measure: `time of a late step, systems without overflow, ${place}`,
      unit: "ms",
      better: "lower",
      ours: ours.marks.at(-1)?.msPerStep ?? 0,
      rivals: survivors.map(({ system, marks }) => ({ name: system, value: marks.at(-1)?.msPerStep ?? 0 })),
      margin: 0.1 * (ours.marks.at(-1)?.msPerStep ?? 0),
    },
  ];
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
