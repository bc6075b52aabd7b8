import type { Asked } from "./reader.js";
import type { ItemKind, ScoredItem } from "./score.js";

export type Family = "buried_constraint" | "decision_override" | "entity_confusion" | "reference_resolution";

/** A question about a case, with its check. */
export interface Item extends ScoredItem {
  readonly asked: Asked;
}

/** What the templates of a family are filled with: all different. */
export interface Variables {
  readonly people: readonly [string, string, string];
  readonly project: string;
  readonly actions: readonly [string, string, string];
}

/** What a family says of a case: its own turns, user first, alternating; the last one comes behind the filler. */
export interface Told {
  readonly before: readonly string[];
  readonly last: string;
  readonly items: readonly Item[];
  readonly forbidden: readonly string[];
}

/** Returns what a case says and asks, of its variables. */
type Template = (variables: Variables) => Told;

const oneRule: Template = ({ people: [person], project, actions: [forbidden] }) => ({
  before: [
    `I work with ${person} on the ${project}.`,
    "Gladly. What do I have to observe?",
    `One thing is critical: never ${forbidden}. This is a hard rule.`,
    "Understood.",
  ],
  last: "Given all that, what is the next step?",
  items: [
    contains("forbidden_behavior_retention", { of: "rule" }, forbidden),
    absent("planning_soundness", { of: "next step" }, forbidden),
    contains("entity_integrity", { of: "lead" }, person),
  ],
  forbidden: [forbidden],
});

const twoRules: Template = ({ people: [person], project, actions: [first, second] }) => ({
  before: [
    `I work with ${person} on the ${project}. By the way, never ${first}.`,
    "I keep that in mind.",
    `And whatever anybody says, never ${second}.`,
    "Neither of them.",
  ],
  last: "Back to the subject: how do we go about it?",
  items: [
    matches("forbidden_behavior_retention", { of: "rule" }, [first, second]),
    contains("immutable_fact_recall", { of: "project" }, project),
    absent("planning_soundness", { of: "next step" }, first),
  ],
  forbidden: [first, second],
});

const changedOnce: Template = ({ people: [person], project, actions: [rejected, approved] }) => ({
  before: [
    `I work with ${person} on the ${project}. For that, let us ${rejected}.`,
    "Shall I begin?",
    `No, forget that. Instead, let us ${approved}.`,
    "Then that.",
  ],
  last: "What did we decide?",
  items: [
    contains("locked_decision_retention", { of: "plan" }, approved),
    absent("forbidden_behavior_retention", { of: "still", option: rejected }, rejected),
    absent("planning_soundness", { of: "next step" }, rejected),
    contains("entity_integrity", { of: "lead" }, person),
  ],
  forbidden: [rejected],
});

const changedTwice: Template = ({ people: [person], project, actions: [one, two, last] }) => ({
  before: [
    `I work with ${person} on the ${project}. I think, let us ${one}.`,
    "Good.",
    `On second thought, let us ${two}.`,
    "I change it.",
    `My last word: let us ${last}. The other two are off. Still open: who will test it?`,
    "The third one, then.",
  ],
  last: "Say the plan once more.",
  items: [
    contains("locked_decision_retention", { of: "plan" }, last),
    absent("forbidden_behavior_retention", { of: "still", option: one }, one),
    absent("forbidden_behavior_retention", { of: "still", option: two }, two),
    contains("unresolved_task_continuity", { of: "open" }, "test it"),
  ],
  forbidden: [one, two],
});

const twoOwners: Template = ({ people: [a, b], project, actions: [taskA, taskB] }) => ({
  before: [
    `On the ${project}, ${a} will ${taskA}. On the other side, ${b} will ${taskB}.`,
    "Two tasks, two owners.",
  ],
  last: "Who does what?",
  items: [
    contains("entity_integrity", { of: "tasks", person: a }, taskA),
    contains("entity_integrity", { of: "tasks", person: b }, taskB),
    absent("forbidden_behavior_retention", { of: "tasks", person: a }, taskB),
  ],
  forbidden: [],
});

const threeOwners: Template = ({ people: [a, b, c], project, actions: [taskA, taskB, taskC] }) => ({
  before: [
    `Three of us share the ${project}. First, ${a} will ${taskA}. Then ${b} will ${taskB}.`,
    "And the third?",
    `In the end, ${c} will ${taskC}. Still open: who will write the report?`,
    "I have them.",
  ],
  last: "Who does which of them?",
  items: [
    contains("entity_integrity", { of: "tasks", person: a }, taskA),
    contains("entity_integrity", { of: "owner", task: taskB }, b),
    contains("entity_integrity", { of: "tasks", person: c }, taskC),
    contains("unresolved_task_continuity", { of: "open" }, "write the report"),
  ],
  forbidden: [],
});

const thatRule: Template = ({ people: [person], project, actions: [forbidden] }) => ({
  before: [
    `I work with ${person} on the ${project}.`,
    "Is there a rule for it?",
    `A single one: never ${forbidden}.`,
    "All right.",
  ],
  last: "With that rule in mind, what comes first?",
  items: [
    contains("locked_decision_retention", { of: "rule" }, forbidden),
    absent("planning_soundness", { of: "next step" }, forbidden),
    contains("entity_integrity", { of: "lead" }, person),
  ],
  forbidden: [forbidden],
});

const thatTask: Template = ({ people: [a, b], project, actions: [taskA, taskB] }) => ({
  before: [
    `I work with ${a} on the ${project}. There, ${a} will ${taskA}.`,
    "And the rest?",
    `For the rest, ${b} will ${taskB}.`,
    "Fine.",
  ],
  last: "How far is the task of the one whom I named first?",
  items: [
    contains("immutable_fact_recall", { of: "tasks", person: a }, taskA),
    contains("immutable_fact_recall", { of: "project" }, project),
    contains("entity_integrity", { of: "owner", task: taskB }, b),
  ],
  forbidden: [],
});

/**
 * The four public families of CompactBench 0.2.0 (Apache-2.0, template version 1.0.0): what each one states, and which items
 * with which checks ask for it. The sentences are our own, so that a scripted reader finds them; the ranked templates of the
 * suite are hidden and not played.
 */
export const families: Readonly<Record<Family, readonly Template[]>> = {
  buried_constraint: [oneRule, twoRules],
  decision_override: [changedOnce, changedTwice],
  entity_confusion: [twoOwners, threeOwners],
  reference_resolution: [thatRule, thatTask],
};

function contains(kind: ItemKind, asked: Asked, value: string): Item {
  return { kind, asked, expected: { check: "contains_normalized", value } };
}

function absent(kind: ItemKind, asked: Asked, value: string): Item {
  return { kind, asked, expected: { check: "forbidden_absent", value } };
}

function matches(kind: ItemKind, asked: Asked, values: readonly string[]): Item {
  return { kind, asked, expected: { check: "set_match", values } };
}
