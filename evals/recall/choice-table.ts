import type { Estimate } from "../metrics/estimate.js";
import type { Table } from "../suite.js";
import { tool } from "./lanes.js";
import type { NextStepRecall } from "./measure-next-steps.js";

/** Returns what `search_history` finds of details that left the context long ago. */
export function searchChoices(sets: Readonly<Record<string, readonly NextStepRecall[]>>): Table {
  return {
    title: "Search",
    columns: ["runs", "shown in the answer", "tokens of the answer", "in the 5 steps found, read whole"],
    rows: Object.entries(sets).map(([set, recalls]) => {
      const own = recalls.find(({ lane, query }) => lane === tool.name && query === "ownWords");
      return [
        set,
        percent(own?.shown),
        own === undefined ? "–" : Math.round(own.tokens),
        percent(own?.steps[0]),
      ];
    }),
    note:
      "One call of search_history with the agent's own words. Share of the strings of the next call, last seen more than ten steps before, " +
      "that stand word for word in its answer; beside it, the share in the five steps that its hits are from, which takes further reads.",
  };
}

function percent(estimate: Estimate | undefined): string {
  return estimate === undefined ? "–" : `${Math.round(100 * estimate.mean)} %`;
}
