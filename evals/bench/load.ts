import type { Suite } from "../suite.js";
import { lessIsBetter } from "./beside.js";
import { benchOfCheckpointer } from "./storage.js";
import { tableOf } from "../report/table-of.js";

/** As the program prints it. Times in milliseconds. */
interface LoadRow {
  readonly checkpointer: string;
  readonly writers: number;
  /** Steps a second of all writers together; 0 for as many as they can. */
  readonly rate: number;
  readonly steps: number;
  readonly perSecond: number;
  readonly median: number;
  readonly p99: number;
  /** Of the process of the agents, for each step. */
  readonly cpu: number;
}

/** The goal for the 99th percentile of a step, in milliseconds, on a machine without other work. */
const goal = 10;

/** Measures steps that come at a rate: `[--rates 0,200] [--writers 1,2,4,8] [--seconds 4] [--turns 3]`. */
export const load: Suite = async (options) => {
  const { quick = false } = options;
  const rows = await benchOfCheckpointer<readonly LoadRow[]>("load.ts", options);
  const ours = rows.filter(({ checkpointer }) => checkpointer !== "PostgresSaver");
  const theirs = ({ writers, rate }: LoadRow): LoadRow | undefined =>
    rows.find((row) => !ours.includes(row) && row.writers === writers && row.rate === rate);
  const holds = (own: LoadRow): boolean => own.p99 <= Math.max(goal, theirs(own)?.p99 ?? 0);
  return {
    suite: "load",
    question: "What does a step take on Postgres while several agents take steps at the same rate?",
    cases: rows.reduce((sum, { steps }) => sum + steps, 0),
    // A small version measures little but the start of the process.
    passed: ours.length > 0 && (quick || ours.filter(({ rate }) => rate > 0).every(holds)),
    tables: [
      tableOf(rows, {
        title: "In turns on one machine; a step counts from the moment at which it is due",
        columns: [
          ["checkpointer", ({ checkpointer }) => checkpointer],
          ["writers", ({ writers }) => writers],
          ["steps a second, offered", ({ rate }) => (rate === 0 ? "all they can" : rate)],
          ["taken", ({ perSecond }) => Math.round(perSecond)],
          ["median, ms", ({ median }) => median.toFixed(2)],
          ["99th percentile, ms", ({ p99 }) => p99.toFixed(2)],
          ["processor time of the agents' process a step, ms", ({ cpu }) => cpu.toFixed(2)],
        ],
      }),
    ],
    comparisons: ours.flatMap((own) => {
      const rival = theirs(own);
      if (rival === undefined) return [];
      const at = own.rate === 0 ? "all they can" : `${own.rate} steps a second`;
      return lessIsBetter({
        measure: `put, 99th percentile, ${own.writers} writers, ${at}`,
        unit: "ms",
        ours: own.p99,
        rivals: [{ name: rival.checkpointer, value: rival.p99 }],
      });
    }),
    numbers: rows,
  };
};
