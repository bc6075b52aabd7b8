import type { Table } from "../suite.js";
import { tool } from "./lanes.js";
import type { NextStepRecall } from "./measure-next-steps.js";

/** Returns what `search_history` finds of details that left the context long ago. */
export function searchChoices(sets: Readonly<Record<string, readonly NextStepRecall[]>>): Table {
  return {
    title: "Search",
    columns: ["runs", "in 5 steps", "in 10 steps"],
    rows: Object.entries(sets).map(([set, recalls]) => {
      const own = recalls.find(({ lane, query }) => lane === tool.name && query === "ownWords");
      return [
        set,
        ...(own?.steps ?? []).map((at) => (at === undefined ? "–" : `${Math.round(100 * at.mean)} %`)),
      ];
    }),
    note: "Share of the strings of the next call, last seen more than ten steps before, that one call of search_history with the agent's own words brings up.",
  };
}
