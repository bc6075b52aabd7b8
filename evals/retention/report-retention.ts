import type { SuitePart, Table } from "../suite.js";
import type { Reach } from "./in-reach.js";
import { promotedTable, promotionHolds, type Promoted } from "./promoted.js";
import { coveredBy, type RulesKept } from "./rules-kept.js";
import { userRulesHold, userRulesTable, type UserRules } from "./user-rules.js";
import { percent } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";
import { groupsOf } from "../metrics/groups-of.js";
import { shareOf, sumOf } from "../metrics/sum-of.js";

/** A context after a number of compactions. */
export interface Mark {
  readonly summarizer: string;
  readonly set: string;
  readonly run: string;
  readonly compactions: number;
  readonly kept: RulesKept;
  readonly reach: Reach;
}

export interface Measured {
  readonly marks: readonly Mark[];
  readonly promoted: readonly Promoted[];
  readonly userRules: readonly UserRules[];
  readonly contextWindow: number;
  readonly quick: boolean;
}

/** The required share of strings in reach. */
const wantedReach = 0.98;

/** Returns the tables, and whether every requirement held. */
export function reportRetention({ marks, promoted, userRules, contextWindow, quick }: Measured): SuitePart {
  const rows = groupsOf(marks, groupOf).map(([, group]) => rowOf(group, marks));
  const made = rows.filter(({ set }) => set === "made tasks");
  const deepest = Math.max(0, ...made.map(({ compactions }) => compactions));
  return {
    cases: marks.length + sumOf(promoted, ({ contexts }) => contexts) + userRules.length,
    passed:
      deepest >= (quick ? 5 : 50) &&
      made.every(({ rules, verbatim, goals }) => rules > 0 && verbatim === 1 && goals === 1) &&
      rows.every(({ reached }) => reached >= wantedReach) &&
      promotionHolds(promoted) &&
      userRulesHold(userRules),
    tables: [
      rulesTable(rows, contextWindow),
      userRulesTable(userRules, contextWindow),
      reachTable(rows),
      promotedTable(promoted, contextWindow),
    ],
    charts: [],
    numbers: { rows, promoted, userRules },
  };
}

function groupOf({ summarizer, set, compactions }: Mark): string {
  return `${summarizer}|${set}|${nearest(compactions)}`;
}

function nearest(compactions: number): number {
  return [50, 20, 5, 1].find((mark) => mark <= compactions) ?? 1;
}

type Row = ReturnType<typeof rowOf>;

/** Shares are of the rules, of the runs for the goal, and of the strings. */
function rowOf(group: readonly Mark[], marks: readonly Mark[]) {
  const rules = sumOf(group, ({ kept }) => kept.sentences.length);
  const atoms = sumOf(group, ({ reach }) => reach.atoms);
  const ofRules = (value: (mark: Mark) => number) => shareOf(sumOf(group, value), rules);
  const ofAtoms = (value: (mark: Mark) => number) => shareOf(sumOf(group, value), atoms);
  const [{ summarizer, set, compactions }] = group as readonly [Mark];
  return {
    summarizer,
    set,
    compactions: nearest(compactions),
    runs: group.length,
    rules,
    verbatim: ofRules(({ kept }) => kept.verbatim),
    covered: ofRules(({ kept }) => coveredBy(kept.sentences, kept.text)),
    control: ofRules((mark) => coveredBy(mark.kept.sentences, otherText(mark, marks))),
    goals: group.filter(({ kept }) => kept.goal).length / group.length,
    atoms,
    visible: ofAtoms(({ reach }) => reach.visible),
    named: ofAtoms(({ reach }) => reach.visible + reach.named),
    reached: ofAtoms(({ reach }) => reach.visible + reach.named + reach.linked),
  };
}

/** What the model saw in another run, after about as many compactions. */
function otherText({ summarizer, run, compactions }: Mark, marks: readonly Mark[]): string {
  const others = marks.filter((other) => other.summarizer === summarizer && other.run !== run);
  const alike = others.find((other) => nearest(other.compactions) === nearest(compactions));
  return (alike ?? others[0])?.kept.text ?? "";
}

function rulesTable(rows: readonly Row[], contextWindow: number): Table {
  const ofRules = (row: Row, value: number) => (row.rules === 0 ? "no rule" : percent(value));
  return tableOf(rows, {
    title: `The user's rules and the goal in what the model sees, window of ${contextWindow} tokens`,
    columns: [
      ["runs", (row) => row.set],
      ["summary", (row) => row.summarizer],
      ["compactions", (row) => row.compactions],
      ["n", (row) => row.runs],
      ["rules", (row) => row.rules],
      ["word for word", (row) => ofRules(row, row.verbatim)],
      ["their words", (row) => ofRules(row, row.covered)],
      ["control", (row) => ofRules(row, row.control)],
      ["goal", (row) => percent(row.goals)],
    ],
    note:
      "A rule is a sentence of the user with a word such as never, must or keep. Control: the share of a rule's words in what " +
      "the model saw in another run. Goal: the first and the latest message of the user, whole. After a text that the " +
      "user pasted was offloaded, its sentences are in the archive.",
  });
}

function reachTable(rows: readonly Row[]): Table {
  return tableOf(rows, {
    title: "Rules, and strings of all calls so far: in sight or in reach",
    columns: [
      ["runs", (row) => row.set],
      ["summary", (row) => row.summarizer],
      ["compactions", (row) => row.compactions],
      ["strings", (row) => row.atoms],
      ["visible", (row) => percent(row.visible)],
      ["or in a file named there", (row) => percent(row.named)],
      ["or in one named in it", (row) => percent(row.reached)],
    ],
    note: "Paths are followed from the text alone. This shows that a string can be found, not that an agent would look.",
  });
}
