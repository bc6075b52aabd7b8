import type { Dialogue } from "../data/dialogue.js";
import { sumOf } from "../metrics/sum-of.js";
import { tableOf } from "../report/table-of.js";
import type { Table } from "../suite.js";
import type { RankingRecall } from "./measure-ranking.js";

export const publishedBudgets = [500, 1_000, 2_000, 4_000, 8_000] as const;

/** Conversations and questions with evidence of the copy that was measured; on another the values do not apply. */
const publishedCopy = { dialogues: 5, questions: 996 };

/** Recall of evidence at each of the budgets, of earlier measurements of the baselines: what this harness must reproduce. */
const published: Readonly<Record<string, readonly number[]>> = {
  recency: [0.015, 0.042, 0.106, 0.212, 0.376],
  "random (control)": [0.02, 0.041, 0.093, 0.189, 0.371],
  BM25: [0.622, 0.692, 0.735, 0.789, 0.863],
  "BM25 ± 1 turn": [0.71, 0.779, 0.825, 0.874, 0.916],
  "recorded observations, BM25": [0.637, 0.676, 0.722, 0.768, 0.787],
  "oracle (ceiling)": [1, 1, 1, 1, 1],
};

/** Largest allowed difference from the published value. */
const tolerance = 0.02;

/** A recall that others published, beside ours. */
export interface ReproducedRecall {
  readonly ranking: string;
  readonly budget: number;
  readonly published: number;
  readonly measured: number;
  readonly isClose: boolean;
}

/** Returns each published recall beside the measured one; none for chats that are not the published copy. */
export function reproductionOf(
  dialogues: readonly Dialogue[],
  recalls: readonly RankingRecall[],
): readonly ReproducedRecall[] {
  const questions = sumOf(dialogues, (dialogue) => dialogue.questions.length);
  if (dialogues.length !== publishedCopy.dialogues || questions !== publishedCopy.questions) return [];
  return recalls.flatMap(({ ranking, budget, evidence }) => {
    const value = published[ranking]?.[publishedBudgets.findIndex((one) => one === budget)];
    if (value === undefined) return [];
    const measured = evidence?.mean ?? Number.NaN;
    const isClose = Math.abs(value - measured) <= tolerance;
    return [{ ranking, budget, published: value, measured, isClose }];
  });
}

/** Returns the published baselines beside ours: whether this harness measures what others measured. */
export function reproductionTable(reproduced: readonly ReproducedRecall[]): Table {
  return tableOf(reproduced, {
    title: "Published baselines, reproduced",
    columns: [
      ["shown first", ({ ranking }) => ranking],
      ["budget", ({ budget }) => budget],
      ["published", (row) => row.published.toFixed(3)],
      ["measured", ({ measured }) => measured.toFixed(3)],
      ["difference", (row) => (row.measured - row.published).toFixed(3)],
      ["reproduced", ({ isClose }) => (isClose ? "yes" : "NO")],
    ],
    note: `Recall of the evidence. Reproduced is what differs by at most ${tolerance}.`,
  });
}
