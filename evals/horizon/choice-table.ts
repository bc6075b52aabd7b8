import type { Table } from "../suite.js";
import type { Session } from "./session.js";
import { percent } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";

/** Returns how each of our strategies stands a very long session, in the smallest window. */
export function sessionChoices(walks: Session["walks"]): Table {
  const window = Math.min(...walks.map((walk) => walk.window));
  const own = walks.filter((walk) => walk.window === window && walk.system.startsWith("Palimpsest "));
  return tableOf(own, {
    title: "Long sessions",
    columns: [
      ["strategy", ({ system }) => system.replace("Palimpsest ", () => "")],
      ["steps", ({ steps }) => steps],
      ["ended by", ({ end }) => end],
      ["mean prompt", ({ meanPrompt }) => Math.round(meanPrompt)],
      ["oldest details in the prompt", ({ recall }) => percent(recall.at(-1)?.inPrompt, 0)],
      ["or found by its search", ({ recall }) => percent(recall.at(-1)?.withSearch, 0)],
      ["ms a step", ({ marks }) => marks.at(-1)?.msPerStep ?? 0],
    ],
    note: `Each strategy through its real node, in a window of ${window.toLocaleString("en")} tokens. Oldest details: strings that stood once, in the oldest decade of distances.`,
  });
}
