import type { Table } from "../suite.js";
import { predictiveContext, searchHistory } from "./product-rankings.js";
import { recency } from "./rankings.js";
import type { RecallGroup } from "./shipped-bars.js";

const ways = {
  predictiveContextNode: predictiveContext.name,
  "one call of search_history": searchHistory.name,
  "the newest turns": recency.name,
};

/** Returns what brings the evidence of a question into the prompt of a chat. */
export function chatChoices(
  groups: readonly RecallGroup[],
  { title, budgets }: { readonly title: string; readonly budgets: readonly number[] },
): Table {
  return {
    title,
    columns: ["strategy", "chats", ...budgets.map((budget) => `${budget.toLocaleString("en")} tokens`)],
    rows: Object.entries(ways).flatMap(([way, ranking]) =>
      groups.map(({ name, recalls }) => [
        way,
        name,
        ...budgets.map((budget) => {
          const recall = recalls.find((one) => one.ranking === ranking && one.budget === budget);
          return recall?.evidence === undefined ? "–" : `${Math.round(100 * recall.evidence.mean)} %`;
        }),
      ]),
    ),
    note: "Share of the turns that answer a question that is in the prompt.",
  };
}
