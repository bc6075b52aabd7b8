import { percent } from "../report/format-value.js";
import type { Table } from "../suite.js";
import { tool } from "./lanes.js";
import type { NextStepRecall } from "./measure-next-steps.js";
import { tableOf } from "../report/table-of.js";

/** Returns what `search_history` finds of details that left the context long ago. */
export function searchChoices(sets: Readonly<Record<string, readonly NextStepRecall[]>>): Table {
  const found = Object.entries(sets).map(([set, recalls]) => ({
    set,
    own: recalls.find(({ lane, query }) => lane === tool.name && query === "ownWords"),
  }));
  return tableOf(found, {
    title: "Search",
    columns: [
      ["runs", ({ set }) => set],
      ["shown in the answer", ({ own }) => percent(own?.shown?.mean, 0)],
      ["tokens of the answer", ({ own }) => (own === undefined ? "–" : Math.round(own.tokens))],
      ["in the 5 steps found, read whole", ({ own }) => percent(own?.steps[0]?.mean, 0)],
    ],
    note:
      "One call of search_history with the agent's own words. Share of the strings of the next call, last seen more than ten steps before, " +
      "that stand word for word in its answer; beside it, the share in the five steps that its hits are from, which takes further reads.",
  });
}
