import type { Comparison, Suite, Table } from "../suite.js";
import { lessIsBetter, timesOurs } from "./beside.js";
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

interface MeasuredRivals {
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

interface Fact {
  readonly fact: string;
  readonly shown: (survival: Survival) => string;
  /** What Palimpsest has to hold at 0. */
  readonly lost: (survival: Survival) => number;
}

const facts: readonly Fact[] = [
  {
    fact: "every checkpoint forked in three ways: wrong reads",
    shown: ({ forks }) => `${forks.wrong.length} of ${forks.reads}`,
    lost: ({ forks }) => forks.wrong.length,
  },
  {
    fact: "three parallel writers: runs read back in another order",
    shown: ({ parallel }) => `${parallel.reordered} of ${parallel.runs}`,
    lost: ({ parallel }) => parallel.reordered,
  },
  {
    fact: "pruned to the newest checkpoint by the saver itself",
    shown: ({ prune }) => (prune === undefined ? "has no such call" : prunedText(prune)),
    lost: ({ prune }) => (prune?.outcome === "exact" ? 0 : 1),
  },
  {
    fact: "older rows deleted by another program",
    shown: ({ deletion }) => prunedText(deletion),
    lost: ({ deletion }) => (deletion.outcome === "silent" ? 1 : 0),
  },
  {
    fact: "one bit of a stored value flipped",
    shown: ({ flips }) => damageText(flips),
    lost: ({ flips }) => flips.silent,
  },
  {
    fact: "one row deleted",
    shown: ({ drops }) => damageText(drops),
    lost: ({ drops }) => drops.silent,
  },
];

function survivalTable(survivals: readonly Survival[]): Table {
  return {
    title: "What survives",
    columns: ["fact", ...survivals.map(({ rival }) => rival)],
    rows: facts.map(({ fact, shown }) => [fact, ...survivals.map(shown)]),
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

interface Bar {
  readonly bar: string;
  readonly ours: number;
  readonly most: number;
  readonly holds: boolean;
}

/** Returns what Palimpsest has to hold. Pure. */
export function barsOf({ costs, survivals }: Pick<MeasuredRivals, "costs" | "survivals">): readonly Bar[] {
  const sizes = costs
    .filter(({ rival }) => rival.startsWith(oursName))
    .map((one) =>
      atMost(
        `bytes, ${one.rival}, ${one.content}, ${one.steps} steps: at most those of ${rivalName}`,
        one.bytes,
        bytesOf(costs, rivalName, one),
      ),
    );
  const ours = survivals.filter(({ isOurs }) => isOurs);
  return [
    ...sizes,
    ...ours.flatMap((one) => facts.map(({ fact, lost }) => atMost(`${one.rival}: ${fact}`, lost(one), 0))),
  ];
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

/** What is compared: bytes at each length, times at the longest. */
const compared: readonly (readonly [string, "bytes" | "ms", (cost: Cost) => number])[] = [
  ["bytes stored", "bytes", ({ bytes }) => bytes],
  ["CPU time of put and putWrites for a step", "ms", ({ putCpuMs }) => putCpuMs],
  ["CPU time of resuming a thread", "ms", ({ getCpuMs }) => getCpuMs],
];

function comparisonsOf(costs: readonly Cost[]): readonly Comparison[] {
  const most = Math.max(...costs.map(({ steps }) => steps));
  const ours = costs.filter(({ rival }) => rival === oursName);
  return compared.flatMap(([measure, unit, value]) =>
    ours
      .filter(({ steps }) => unit === "bytes" || steps === most)
      .map((own) => {
        const rivals = costs.filter(
          ({ rival, content, steps }) =>
            !rival.startsWith(oursName) && content === own.content && steps === own.steps,
        );
        return lessIsBetter({
          measure: `${measure}, ${own.steps.toLocaleString("en")} steps, ${own.content}`,
          unit,
          ours: value(own),
          rivals: rivals.map((one) => ({ name: one.rival, value: value(one) })),
        });
      }),
  );
}
