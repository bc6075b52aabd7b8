import type { Chart, Table } from "../suite.js";
import type { Kind, RankingRecall } from "./measure-ranking.js";
import type { ReproducedRecall } from "./reproduction.js";
import { tableOf } from "../report/table-of.js";
import { withInterval } from "../report/format-value.js";

const titles = {
  evidence: "gold evidence turns in the context",
  answer: "words of the answer in the context",
};
const note =
  "Tokens are characters / 4. Mean over questions, with a 95 % bootstrap interval over conversations and blocks of " +
  "questions. Lexical search only: no model was asked. That the evidence is there does not mean that it is used. A turn " +
  "of which a part is shown counts by its share of characters.";

/** Returns a row for each ranking, a column for each budget. */
export function recallTable(
  recalls: readonly RankingRecall[],
  {
    kind,
    name,
    budgets,
  }: { readonly kind: Kind; readonly name: string; readonly budgets: readonly number[] },
): Table {
  const rows = namesOf(recalls).map((ranking) => [
    ranking,
    ...budgets.map((budget) =>
      withInterval(recalls.find((one) => one.ranking === ranking && one.budget === budget)?.[kind]),
    ),
  ]);
  return {
    title: `${name}: ${titles[kind]}`,
    columns: ["shown first", ...budgets.map((budget) => `${budget.toLocaleString("en")} tokens`)],
    rows,
    note: `${recalls[0]?.[kind]?.count ?? 0} questions. ${note}`,
  };
}

/** Returns the evidence recall at 2,000 tokens for each kind of question. */
export function categoryTable(recalls: readonly RankingRecall[], name: string): Table {
  const categories = Object.keys(recalls[0]?.categories ?? {});
  return {
    title: `${name}: evidence recall at 2,000 tokens, by kind of question`,
    columns: ["shown first", ...categories],
    rows: recalls
      .filter(({ budget }) => budget === 2_000)
      .map((recall) => [
        recall.ranking,
        ...categories.map((category) => (recall.categories[category] ?? 0).toFixed(3)),
      ]),
    note,
  };
}

/** Returns the published baselines beside ours: whether this harness measures what others measured. */
export function reproductionTable(reproduced: readonly ReproducedRecall[]): Table {
  return tableOf(reproduced, {
    title: "Published baselines, reproduced",
    columns: [
      ["recall of", ({ kind }) => kind],
      ["shown first", ({ ranking }) => ranking],
      ["budget", ({ budget }) => budget],
      ["published", ({ published }) => published.toFixed(3)],
      ["measured", ({ measured }) => measured.toFixed(3)],
      ["difference", ({ published, measured }) => (measured - published).toFixed(3)],
      ["reproduced", ({ isClose }) => (isClose ? "yes" : "NO")],
    ],
    note: "Reproduced is what differs by at most .02, for words of answers by .025: their list of stop words is not published. The ceiling of those words is reported, not required.",
  });
}

/** Returns recall against the budget. */
export function recallChart(recalls: readonly RankingRecall[], kind: Kind, name: string): Chart {
  return {
    title: `${name}: ${titles[kind]}`,
    x: { label: "tokens of the context", scale: "log" },
    y: { label: "share in the context", scale: "linear" },
    series: namesOf(recalls).map((label) => ({
      label,
      points: recalls
        .filter(({ ranking }) => ranking === label)
        .flatMap(({ budget, ...recall }) => {
          const estimate = recall[kind];
          return estimate === undefined
            ? []
            : [{ x: budget, y: estimate.mean, low: estimate.low, high: estimate.high }];
        }),
    })),
    note,
  };
}

function namesOf(recalls: readonly RankingRecall[]): readonly string[] {
  return [...new Set(recalls.map(({ ranking }) => ranking))];
}
