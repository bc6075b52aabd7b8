import type { Table } from "../suite.js";
import type { Session } from "./session.js";
import { percent } from "../report/format-value.js";

/** Returns how each of our strategies stands a very long session, in the smallest window. */
export function sessionChoices(walks: Session["walks"]): Table {
  const window = Math.min(...walks.map((walk) => walk.window));
  const own = walks.filter((walk) => walk.window === window && walk.system.startsWith("Palimpsest "));
  return {
    title: "Long sessions",
    columns: [
      "strategy",
      "steps",
      "ended by",
      "mean prompt",
      "oldest details in the prompt",
      "or found by its search",
      "ms a step",
    ],
    rows: own.map(({ system, steps, end, meanPrompt, recall, marks }) => [
      system.replace("Palimpsest ", () => ""),
      steps,
      end,
      Math.round(meanPrompt),
      percent(recall.at(-1)?.inPrompt, 0),
      percent(recall.at(-1)?.withSearch, 0),
      marks.at(-1)?.msPerStep ?? 0,
    ]),
    note: `Each strategy through its real node, in a window of ${window.toLocaleString("en")} tokens. Oldest details: strings that stood once, in the oldest decade of distances.`,
  };
}
