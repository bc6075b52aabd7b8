import { withInterval } from "../report/format-value.js";
import { tableOf, type Column } from "../report/table-of.js";
import type { Table } from "../suite.js";
import type { ChatSet } from "./chat-sets.js";
import { evidenceAt } from "./measure-ranking.js";
import { predictiveContext, searchHistory } from "./product-rankings.js";
import { recency } from "./rankings.js";
import type { RecallGroup } from "./shipped-bars.js";

const note =
  "Tokens are characters / 4. Mean over questions, with a 95 % bootstrap interval over conversations and blocks of " +
  "questions. Lexical search only: no model was asked. That the evidence is there does not mean that it is used. A turn " +
  "of which a part is shown counts by its share of characters.";

/** Returns a row for each ranking, a column for each budget. */
export function recallTable({ name, recalls }: RecallGroup, budgets: readonly number[]): Table {
  const rankings = [...new Set(recalls.map(({ ranking }) => ranking))];
  return tableOf(rankings, {
    title: `${name}: gold evidence turns in the context`,
    columns: [
      ["shown first", (ranking) => ranking],
      ...budgets.map((budget): Column<string> => [
        `${budget.toLocaleString("en")} tokens`,
        (ranking) => withInterval(evidenceAt(recalls, ranking, budget)),
      ]),
    ],
    note: `${recalls[0]?.evidence?.count ?? 0} questions. ${note}`,
  });
}

const ways = {
  predictiveContextNode: predictiveContext.name,
  "one call of search_history": searchHistory.name,
  "the newest turns": recency.name,
};

/** Returns what brings the evidence of a question into the prompt of a chat. */
export function chatChoices(
  groups: readonly RecallGroup[],
  { title, budgets }: Pick<ChatSet, "title" | "budgets">,
): Table {
  const rows = Object.entries(ways).flatMap(([way, ranking]) =>
    groups.map((group) => ({ way, ranking, ...group })),
  );
  return tableOf(rows, {
    title,
    columns: [
      ["strategy", ({ way }) => way],
      ["chats", ({ name }) => name],
      ...budgets.map((budget): Column<(typeof rows)[number]> => [
        `${budget.toLocaleString("en")} tokens`,
        ({ recalls, ranking }) => {
          const evidence = evidenceAt(recalls, ranking, budget);
          return evidence === undefined ? "–" : `${Math.round(100 * evidence.mean)} %`;
        },
      ]),
    ],
    note: "Share of the turns that answer a question that is in the prompt.",
  });
}
