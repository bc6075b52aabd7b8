import { palimpsestFolding } from "../policies/folding.js";
import { palimpsestLadder } from "../policies/palimpsest-ladder.js";
import { predictiveNode } from "../policies/predictive-node.js";
import { shareRange } from "../report/format-value.js";
import type { Table } from "../suite.js";
import type { SetRecall } from "./measure-set.js";

const strategies = {
  compactionNode: palimpsestLadder.name,
  foldNode: palimpsestFolding.name,
  predictiveContextNode: predictiveNode().name,
};
const windows = [8_000, 32_000];

/** Returns what each strategy keeps of what the next call of a coding agent needs, over the recorded sets where there are any. */
export function codingChoices(sets: readonly SetRecall[]): Table {
  const recorded = sets.filter(({ set }) => set !== "generated");
  const read = recorded.length > 0 ? recorded : sets;
  return {
    title: "Coding",
    columns: [
      "strategy",
      ...windows.flatMap((window) => [`window of ${window.toLocaleString("en")}`, "of it, from far back"]),
    ],
    rows: Object.entries(strategies).map(([name, policy]) => [
      name,
      ...windows.flatMap((window) => {
        const own = read.map(({ recalls }) =>
          recalls.find((recall) => recall.policy === policy && recall.budget === window),
        );
        return [
          shareRange(own.map((recall) => recall?.all?.mean)),
          shareRange(own.map((recall) => recall?.far?.mean)),
        ];
      }),
    ]),
    note: `Share of what the next call uses that is in the prompt. Runs: ${read.map(({ set }) => set).join(", ")}; lowest and highest where there are several. From far back: last seen more than 10 steps before. What is not in the prompt is in the archive. predictiveContextNode fills the window; the others stay below their trigger.`,
  };
}
