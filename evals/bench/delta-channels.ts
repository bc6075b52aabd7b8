import type { Suite, Table } from "../suite.js";
import { lessIsBetter, timesOurs } from "./ratio.js";
import { benchOfCheckpointer } from "./storage.js";
import { tableOf } from "../report/table-of.js";

/** The saver that a user takes for LangGraph's own way to store less, and ours without it. */
const rivalName = "SqliteSaver, delta";
const oursName = "VfsSaver";

interface Cost {
  readonly rival: string;
  readonly content: string;
  readonly steps: number;
  readonly bytes: number;
  readonly bytesPerStep: number;
  readonly factor: number;
  readonly putCpuMs: number;
  readonly stepCpuMs: number;
  readonly getCpuMs: number;
}

interface Pruned {
  readonly outcome: "exact" | "noticed" | "silent";
  readonly of: number;
  readonly read: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

type Damage = Readonly<Record<Pruned["outcome"], number>>;

interface Survival {
  readonly rival: string;
  readonly isOurs: boolean;
  readonly forks: { readonly reads: number; readonly wrong: readonly string[] };
  readonly parallel: { readonly runs: number; readonly reordered: number };
  /** Missing for a saver that cannot prune. */
  readonly prune?: Pruned;
  readonly deletion: Pruned;
  readonly flips: Damage;
  readonly drops: Damage;
}

export interface MeasuredRivals {
  /** How each kind of file was opened. */
  readonly settings: Readonly<Record<string, string>>;
  readonly costs: readonly Cost[];
  readonly survivals: readonly Survival[];
}

/** The same threads on LangGraph's savers and on ours, with plain channels and with delta channels. */
export const deltaChannels: Suite = async (options) => {
  const { quick = false } = options;
  const measured = await benchOfCheckpointer<MeasuredRivals>("rivals/main.ts", options);
  const bars = barsOf(measured);
  return {
    suite: "delta-channels",
    question: "What do threads cost beside LangGraph's delta channels, and what of them survives?",
    cases: measured.costs.length + measured.survivals.length,
    passed: bars.length > 0 && bars.every(({ holds }) => holds),
    tables: [
      costTable(measured),
      survivalTable(measured.survivals),
      tableOf(bars, {
        title: "Bars",
        columns: [
          ["bar", ({ bar }) => bar],
          ["ours", ({ ours }) => ours],
          ["at most", ({ most }) => most],
          ["verdict", ({ holds }) => (holds ? "holds" : "behind")],
        ],
      }),
    ],
    charts: [],
    comparisons: comparisonsOf(measured.costs),
    ...(quick ? { tooSmall: ["Damage is tried in a few places, and no thread is long."] } : {}),
    numbers: measured,
  };
};

function costTable({ costs, settings }: MeasuredRivals): Table {
  const modes = Object.entries(settings).map(([saver, mode]) => `${saver} ${mode}`);
  return tableOf(costs, {
    title: "One message a step",
    columns: [
      ["saver", (one) => one.rival],
      ["content", (one) => one.content],
      ["steps", (one) => one.steps],
      ["bytes a step", (one) => Math.round(one.bytesPerStep)],
      ["to ours", (one) => timesOurs(one.bytes, bytesOf(costs, oursName, one) ?? 0)],
      ["total, MB", (one) => one.bytes / 1e6],
      ["for each byte of content", (one) => one.factor],
      ["put and putWrites, CPU ms a step", (one) => one.putCpuMs],
      ["the run, CPU ms a step", (one) => one.stepCpuMs],
      ["resume, CPU ms", (one) => one.getCpuMs],
    ],
    note: `The same messages, durability "sync", each saver with its own serializer. Sizes after VACUUM and a checkpoint of the log; of a MemorySaver, its strings and bytes. ${modes.join(", ")} (1 is NORMAL). Resume is the newest state, with a new saver and graph, the shortest of five. To ours: divided by ${oursName} with plain channels.`,
  });
}

function survivalTable(survivals: readonly Survival[]): Table {
  const row = (fact: string, cell: (one: Survival) => string): string[] => [fact, ...survivals.map(cell)];
  return {
    title: "What survives",
    columns: ["fact", ...survivals.map(({ rival }) => rival)],
    rows: [
      row(
        "every checkpoint forked in three ways: wrong reads",
        ({ forks }) => `${forks.wrong.length} of ${forks.reads}`,
      ),
      row(
        "three parallel writers: runs read back in another order",
        ({ parallel }) => `${parallel.reordered} of ${parallel.runs}`,
      ),
      row("pruned to the newest checkpoint by the saver itself", ({ prune }) =>
        prune ? prunedText(prune) : "has no such call",
      ),
      row("older rows deleted by another program", ({ deletion }) => prunedText(deletion)),
      row("one bit of a stored value flipped", ({ flips }) => damageText(flips)),
      row("one row deleted", ({ drops }) => damageText(drops)),
    ],
    note: "Forks are compared with MemorySaver and plain channels, live, read again and read at the end, when all but the last branch are abandoned. Pruning: the newest state. Damage: the newest state and every earlier one are read from a damaged copy.",
  };
}

function prunedText({ outcome, of, read, bytesBefore, bytesAfter }: Pruned): string {
  const left = `${Math.round((100 * bytesAfter) / bytesBefore)} % of the bytes left`;
  if (outcome === "exact") return `exact, ${left}`;
  return outcome === "noticed" ? "an error says so" : `${of - read} of ${of} messages lost, silently`;
}

function damageText({ exact, noticed, silent }: Damage): string {
  return `${silent} silently wrong, ${noticed} noticed, ${exact} without effect`;
}

export interface Bar {
  readonly bar: string;
  readonly ours: number;
  readonly most: number;
  readonly holds: boolean;
}

/** Returns what Palimpsest has to hold. Pure. */
export function barsOf({ costs, survivals }: Pick<MeasuredRivals, "costs" | "survivals">): Bar[] {
  const sizes = costs
    .filter(({ rival }) => rival.startsWith(oursName))
    .map((one) =>
      atMost(
        `bytes, ${one.rival}, ${one.content}, ${one.steps} steps: at most those of ${rivalName}`,
        one.bytes,
        bytesOf(costs, rivalName, one),
      ),
    );
  const facts = survivals
    .filter(({ isOurs }) => isOurs)
    .flatMap(({ rival, ...one }) => [
      atMost(`${rival}: wrong reads of forks`, one.forks.wrong.length, 0),
      atMost(`${rival}: runs of parallel writers in another order`, one.parallel.reordered, 0),
      atMost(`${rival}: messages lost by prune`, one.prune?.outcome === "exact" ? 0 : 1, 0),
      atMost(`${rival}: silent losses after a deletion`, one.deletion.outcome === "silent" ? 1 : 0, 0),
      atMost(`${rival}: flipped bits that nobody noticed`, one.flips.silent, 0),
      atMost(`${rival}: deleted rows that nobody noticed`, one.drops.silent, 0),
    ]);
  return [...sizes, ...facts];
}

/** Without a value to compare with, the bar does not hold. */
function atMost(bar: string, ours: number, most = Number.NaN): Bar {
  return { bar, ours, most, holds: ours <= most };
}

function bytesOf(
  costs: readonly Cost[],
  rival: string,
  { content, steps }: Pick<Cost, "content" | "steps">,
): number | undefined {
  return costs.find((one) => one.rival === rival && one.content === content && one.steps === steps)?.bytes;
}

function comparisonsOf(costs: readonly Cost[]) {
  const counts = costs.map(({ steps }) => steps);
  const most = Math.max(...counts);
  const compare = (
    { content, steps }: Cost,
    unit: "bytes" | "ms",
    [measure, value]: readonly [string, (cost: Cost) => number],
  ) => {
    const same = costs.filter((one) => one.content === content && one.steps === steps);
    const ours = same.find(({ rival }) => rival === oursName);
    return lessIsBetter({
      measure: `${measure}, ${steps.toLocaleString("en")} steps, ${content}`,
      unit,
      ours: ours ? value(ours) : Number.NaN,
      rivals: same
        .filter(({ rival }) => !rival.startsWith(oursName))
        .map((one) => ({ name: one.rival, value: value(one) })),
    });
  };
  const ours = costs.filter(({ rival }) => rival === oursName);
  const longest = ours.filter(({ steps }) => steps === most);
  return [
    ...ours.map((one) => compare(one, "bytes", ["bytes stored", ({ bytes }) => bytes])),
    ...longest.map((one) =>
      compare(one, "ms", ["CPU time of put and putWrites for a step", ({ putCpuMs }) => putCpuMs]),
    ),
    ...longest.map((one) =>
      compare(one, "ms", ["CPU time of resuming a thread", ({ getCpuMs }) => getCpuMs]),
    ),
  ];
}
