import { estimateTokens, tfIdfImportance } from "@palimpsest/context";
import { reuseImportance } from "@palimpsest/context/selection";
import type { ContextOptions } from "@palimpsest/langgraph";
import { textOf } from "../data/text-of.js";
import { mean } from "../metrics/quantile.js";
import { sumOf } from "../metrics/sum-of.js";
import { percent } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";
import type { Table } from "../suite.js";
import { foldRun } from "./fold-run.js";
import { scriptedSummarizer } from "./scripted-summarizer.js";
import { statedRun, type StatedRun } from "./stated-run.js";

/** What of the agent's own sentences is in sight after four to twelve compactions, with one way to promote messages. */
export interface Promoted {
  readonly way: string;
  readonly contexts: number;
  readonly facts: number;
  readonly factShare: number;
  readonly doubts: number;
  readonly doubtShare: number;
  /** Mean tokens of the context, by the estimator. */
  readonly tokens: number;
}

interface Way {
  readonly name: string;
  readonly options: Pick<ContextOptions, "importance" | "markers" | "keep">;
  /** What it has to keep more of than no promotion does. */
  readonly isFor?: "factShare" | "doubtShare";
}

const none: Way = { name: "no promotion", options: {} };
const ways: readonly Way[] = [
  none,
  // The control spends the tokens of promotion on the newest messages instead.
  { name: "no promotion, half as much again in keep", options: { keep: { fraction: 0.15 } } },
  {
    name: "importance: tfIdfImportance",
    options: { importance: tfIdfImportance },
    isFor: "factShare",
  },
  {
    name: "importance: reuseImportance",
    options: { importance: reuseImportance },
    isFor: "factShare",
  },
  { name: "markers of a complex task", options: { markers: { task: "complex" } }, isFor: "doubtShare" },
];

/**
 * Compactions after which the context is examined. After one number alone, a memo among the newest messages would decide: they
 * stay whole in every way.
 */
const marks = [4, 5, 6, 7, 8, 9, 10, 11, 12];

/** Plays made-up runs through the node, once for each way, and examines the context after four to twelve compactions. */
export async function measurePromoted(
  seeds: readonly number[],
  contextWindow: number,
): Promise<readonly Promoted[]> {
  const runs = seeds.map((seed) => statedRun(seed));
  return Promise.all(ways.map((way) => promotedBy(way, runs, contextWindow)));
}

async function promotedBy(
  { name, options }: Way,
  runs: readonly StatedRun[],
  contextWindow: number,
): Promise<Promoted> {
  const seen: { facts: Kept; doubts: Kept; tokens: number }[] = [];
  for (const run of runs) {
    await foldRun(run, {
      contextWindow,
      // A model that forgets is what promotion is for.
      model: scriptedSummarizer(),
      ...options,
      marks,
      look({ thread, context }) {
        const [said, shown] = [thread, context].map((messages) => messages.map(textOf).join("\n"));
        const kept = (sentences: readonly string[]): Kept => {
          const given = sentences.filter((sentence) => said?.includes(sentence));
          return { given: given.length, shown: given.filter((one) => shown?.includes(one)).length };
        };
        seen.push({ facts: kept(run.facts), doubts: kept(run.doubts), tokens: estimateTokens(context) });
      },
    });
  }
  const given = (kind: "facts" | "doubts") => sumOf(seen, (one) => one[kind].given);
  const share = (kind: "facts" | "doubts") => sumOf(seen, (one) => one[kind].shown) / given(kind);
  return {
    way: name,
    contexts: seen.length,
    facts: given("facts"),
    factShare: share("facts"),
    doubts: given("doubts"),
    doubtShare: share("doubts"),
    tokens: mean(seen.map(({ tokens }) => tokens)),
  };
}

/** Sentences that the thread has, and those of them that the context shows. */
interface Kept {
  readonly given: number;
  readonly shown: number;
}

/** True where each way keeps more of what it is for than no promotion does. */
export function promotionHolds(promoted: readonly Promoted[]): boolean {
  const rowOf = ({ name }: Way) => promoted.find(({ way }) => way === name);
  return ways.every((way) => {
    const [row, without] = [rowOf(way), rowOf(none)];
    if (row === undefined || without === undefined) return false;
    return way.isFor === undefined || row[way.isFor] > without[way.isFor];
  });
}

export function promotedTable(rows: readonly Promoted[], contextWindow: number): Table {
  return tableOf(rows, {
    title: `What importance and markers keep in sight, window of ${contextWindow} tokens, after four to twelve compactions`,
    columns: [
      ["stays whole", (row) => row.way],
      ["contexts", (row) => row.contexts],
      ["memos", (row) => row.facts],
      ["word for word", (row) => percent(row.factShare)],
      ["doubts", (row) => row.doubts],
      ["word for word", (row) => percent(row.doubtShare)],
      ["tokens", (row) => Math.round(row.tokens)],
    ],
    note:
      "Made runs: a memo of one sentence among pages of rows, and a doubt of the agent, every twelve steps. A scripted " +
      "summary model forgets most of what it reads; where summaries are extracted, both stay in sight without promotion. " +
      "Doubts are quoted by every summary, within its budget.",
  });
}
