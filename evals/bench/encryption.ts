import type { Suite } from "../suite.js";
import { timesOurs } from "./beside.js";
import { benchOfCheckpointer } from "./storage.js";
import { tableOf } from "../report/table-of.js";

/** A measure with and without encryption. */
interface Pair {
  readonly plain: number;
  readonly encrypted: number;
}

/** As the program prints it. */
interface Measured {
  readonly steps: number;
  readonly known: number;
  readonly resumed: number;
  readonly archived: number;
  readonly measured: Readonly<Record<string, Pair>>;
}

/** Requirement: encryption makes no measure more than so many times as large. */
const maxRatio = 2.5;

/** Measures what encryption at rest costs: the same saver on a SQLite file with and without it, in turns. */
export const encryption: Suite = async (options) => {
  const { quick = false } = options;
  const { measured, ...sizes } = await benchOfCheckpointer<Measured>("encryption.ts", options);
  const pairs = Object.entries(measured);
  const labels: Readonly<Record<string, string>> = {
    randomFactor: `bytes stored for each byte, ${sizes.steps} random messages`,
    textFactor: `bytes stored for each byte, ${sizes.steps} messages of text`,
    putMs: `put and putWrites at ${sizes.known} messages, ms`,
    resumeMs: `reading ${sizes.resumed} messages back, ms`,
    archiveMs: `a file of 2 KB among ${sizes.archived}, written and read, ms`,
  };
  return {
    suite: "encryption",
    question: "What does encryption at rest cost in bytes and in time?",
    cases: pairs.length,
    // A small version measures little but the start of the process.
    passed:
      pairs.length > 0 && (quick || pairs.every(([, { plain, encrypted }]) => encrypted <= maxRatio * plain)),
    tables: [
      tableOf(pairs, {
        title: "One saver with and without encryption",
        columns: [
          ["measure", ([name]) => labels[name] ?? name],
          ["without", ([, { plain }]) => plain.toFixed(2)],
          ["with", ([, { encrypted }]) => encrypted.toFixed(2)],
          ["ratio", ([, { plain, encrypted }]) => timesOurs(encrypted, plain)],
        ],
      }),
    ],
    comparisons: [],
    numbers: measured,
  };
};
