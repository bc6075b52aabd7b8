import type { Comparison, Suite } from "../suite.js";
import { lessIsBetter } from "./beside.js";
import { benchOfCheckpointer } from "./storage.js";

/** As the program prints it. Times in milliseconds. */
interface ManyThreads {
  readonly threads: number;
  readonly putMedian: number;
  readonly put99: number;
  readonly resume: number;
  readonly deletion: number;
  readonly list: number;
  readonly sweep: number;
  readonly putBeside99: number;
  readonly lockWait: number;
  readonly bytesPerThread: number;
}

/** The checkpointer that each of ours is compared with. */
const rivals = { VfsSaver: "SqliteSaver", "VfsSaver on Postgres": "PostgresSaver" } as const;

/** Bytes of a thread may grow by so much between a storage and one with ten times the threads. */
const maxGrowth = 1.15;

const measures = [
  ["putMedian", "put, 8 at once, median", "ms"],
  ["put99", "put, 8 at once, 99th percentile", "ms"],
  ["resume", "newest checkpoint of a thread", "ms"],
  ["deletion", "deletion of a thread", "ms"],
  ["list", "list of the 20 threads of a user", "ms"],
  ["sweep", "deletion of a thread among a tenth of all, 4 writers beside", "ms"],
  ["putBeside99", "put beside these deletions, 99th percentile", "ms"],
  ["lockWait", "longest wait for a lock that was seen meanwhile", "ms"],
  ["bytesPerThread", "bytes of a thread", "bytes"],
] as const;

/** Measures what many short threads in one storage cost: `[--threads N] [--steps N] [--only NAME]`. */
export const threads: Suite = async (options) => {
  const measured = await benchOfCheckpointer<Record<string, readonly ManyThreads[]>>("threads.ts", options);
  const systems = Object.entries(measured);
  const ours = systems.filter(([name]) => name in rivals);
  const growths = ours.map(([, [few, many]]) => (many?.bytesPerThread ?? 0) / (few?.bytesPerThread ?? 1));
  return {
    suite: "threads",
    question:
      "What do many short threads in one storage cost, and does each cost the same when there are ten times as many?",
    cases: systems.reduce((sum, [, rows]) => sum + (rows.at(-1)?.threads ?? 0), 0),
    passed: ours.length > 0 && growths.every((growth) => growth <= maxGrowth),
    tables: [
      {
        title: "Threads of ten steps unless --steps says otherwise, one message of 200 characters a step",
        columns: ["checkpointer", "threads", ...measures.map(([, label, unit]) => `${label}, ${unit}`)],
        rows: systems.flatMap(([name, rows]) =>
          rows.map((row) => [
            name,
            row.threads,
            ...measures.map(([key, , unit]) => (unit === "ms" ? row[key].toFixed(2) : Math.round(row[key]))),
          ]),
        ),
      },
    ],
    comparisons: ours.flatMap(([name, rows]) => comparisonsOf(name, rows.at(-1), measured)),
    numbers: measured,
  };
};

function comparisonsOf(
  name: string,
  own: ManyThreads | undefined,
  measured: Readonly<Record<string, readonly ManyThreads[]>>,
): readonly Comparison[] {
  const rival = rivals[name as keyof typeof rivals];
  const theirs = measured[rival]?.at(-1);
  if (own === undefined || theirs === undefined) return [];
  return measures.map(([key, label, unit]) =>
    lessIsBetter({
      measure: `${label}, ${own.threads} threads, ${name}`,
      unit,
      ours: own[key],
      rivals: [{ name: rival, value: theirs[key] }],
    }),
  );
}
