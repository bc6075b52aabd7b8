import type { Policy } from "../../policies/policy.js";
import type { Comparison, SuitePart, Table } from "../../suite.js";
import type { Ablated } from "./ablate-prompt.js";
import { goalForms } from "./goal-runs.js";
import type { GoalKept } from "./measure-goal.js";
import { percent } from "../../report/format-value.js";
import { tableOf } from "../../report/table-of.js";

export interface MeasuredGoal {
  readonly kept: readonly GoalKept[];
  readonly ablated: readonly Ablated[];
  readonly window: number;
  /** The policies that have to keep the goal. The first is compared with the rivals. */
  readonly ours: readonly Policy[];
  readonly rivals: readonly Policy[];
}

/** Returns the tables, and whether every strategy of ours kept the goal word for word in every prompt. Pure. */
export function reportGoal({ kept, ablated, window, ours, rivals }: MeasuredGoal): SuitePart {
  const own = kept.filter(({ policy }) => ours.some(({ name }) => name === policy));
  return {
    cases: kept.reduce((sum, { prompts }) => sum + prompts, 0) + ablated.length,
    passed:
      own.length === ours.length * goalForms.length &&
      own.every(({ whole, misled }) => whole === 1 && misled === 0) &&
      ablated.every((row) => row.goal === 1),
    tables: [keptTable(kept, window), ablationTable(ablated, window)],
    charts: [],
    comparisons: goalForms.map((form): Comparison => {
      const wholeOf = (name: string) =>
        kept.find((row) => row.form === form && row.policy === name)?.whole ?? 0;
      return {
        measure: `prompts that contain the goal verbatim, goal ${form}`,
        unit: "share",
        better: "higher",
        ours: wholeOf(ours[0]?.name ?? ""),
        rivals: rivals.map(({ name }) => ({ name, value: wholeOf(name) })),
        margin: 0.01,
      };
    }),
    numbers: { window, kept, ablated },
  };
}

function keptTable(kept: readonly GoalKept[], window: number): Table {
  return tableOf(kept, {
    title: `The goal in the prompt, window of ${window} tokens`,
    columns: [
      ["policy", ({ policy }) => policy],
      ["the goal comes", ({ form }) => form],
      ["prompts", ({ prompts }) => prompts],
      ["word for word", ({ whole }) => percent(whole)],
      ["named", ({ named }) => percent(named)],
      ["only an earlier goal", ({ misled }) => percent(misled)],
    ],
    note:
      "Prompts after the goal was given. The user speaks before and after, so the goal is neither the first message (unless " +
      "the row says so) nor the newest. Named: its code occurs somewhere, including summaries. Summaries of the others are " +
      "the newest lines of their input; a model may do better.",
  });
}

function ablationTable(ablated: readonly Ablated[], window: number): Table {
  return tableOf(ablated, {
    title: `The summary prompt with and without two sections, window of ${window} tokens`,
    columns: [
      ["summary", ({ summary }) => summary],
      ["prompt", ({ variant }) => variant],
      ["compactions", ({ compactions }) => compactions],
      ["goal in sight", ({ goal }) => percent(goal)],
      ["goal in the summary", ({ goalInSummary }) => percent(goalInSummary)],
      ["next step in sight", ({ next }) => percent(next)],
      ["tokens of the summary", ({ tokens }) => Math.round(tokens)],
    ],
    note:
      "Share of the compactions after which it is in the context. The goal is there in the user's own words, and what comes " +
      "next is extracted from the agent's, whatever the summary says. The obedient summary writes what its prompt asks for " +
      "and nothing else: it measures what a section is worth to a model that follows it.",
  });
}
