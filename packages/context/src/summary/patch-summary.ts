import { inlineText } from "../messages/text.js";
import { fitting } from "./carried-state.js";
import { summaryHeadings, type Summary } from "./summary.js";

/** Sections that a patch appends to; it never rewrites their existing entries. */
export const factSections = ["findings", "decisions", "openQuestions", "done", "sideEffects"] as const;
/** Sections that describe the current state: a patch replaces them. */
export const stateSections = ["intent", "inProgress", "nextSteps"] as const;

/** Sections extracted from the messages: a patch can only resolve their entries. */
const quotedSections = ["uncertainties"] as const;

export type FactSection = (typeof factSections)[number];
export type StateSection = (typeof stateSections)[number];

/** Changes that a later summary makes to an earlier one. */
export type SummaryPatch = Readonly<Record<FactSection | StateSection, readonly string[]>> & {
  /** Ids of resolved entries. Those in `inProgress` or `nextSteps` move to `done`. */
  readonly resolved: readonly string[];
  /** Ids of entries that no longer hold. */
  readonly obsolete: readonly string[];
};

export const emptyPatch: SummaryPatch = {
  intent: [],
  findings: [],
  decisions: [],
  openQuestions: [],
  done: [],
  inProgress: [],
  nextSteps: [],
  sideEffects: [],
  resolved: [],
  obsolete: [],
};

/** A section whose entries have ids. */
export type NumberedSection = FactSection | StateSection | (typeof quotedSections)[number];

const letters: Readonly<Record<NumberedSection, string>> = {
  intent: "i",
  findings: "f",
  decisions: "d",
  openQuestions: "q",
  done: "o",
  inProgress: "p",
  nextSteps: "n",
  sideEffects: "s",
  uncertainties: "u",
};

/** Returns the id of a summary entry, for use in a patch: `f1` is the first finding. */
export function entryId(section: NumberedSection, index: number): string {
  return `${letters[section]}${index + 1}`;
}

/**
 * Returns the summary with a patch applied: adds, resolves and drops entries, and leaves all others unchanged.
 *
 * Pure. A fact is worded once and then copied, so repeated summaries do not degrade it.
 */
export function patchSummary(summary: Summary, patch: SummaryPatch): Summary {
  const removed = new Set([...patch.resolved, ...patch.obsolete].map((id) => id.trim().toLowerCase()));
  const resolved = new Set(patch.resolved.map((id) => id.trim().toLowerCase()));
  const remaining = (section: NumberedSection) =>
    summary[section].filter((_, index) => !removed.has(entryId(section, index)));
  const finished = (["inProgress", "nextSteps"] as const).flatMap((section) =>
    summary[section].filter((_, index) => resolved.has(entryId(section, index))),
  );
  const added = (section: FactSection) => joined(remaining(section), patch[section]);
  const stated = (section: StateSection) =>
    patch[section].length > 0 ? joined([], patch[section]) : remaining(section);
  return {
    ...summary,
    intent: stated("intent"),
    findings: added("findings"),
    decisions: added("decisions"),
    openQuestions: added("openQuestions"),
    uncertainties: remaining("uncertainties"),
    done: joined(remaining("done"), [...finished, ...patch.done]),
    inProgress: stated("inProgress"),
    nextSteps: stated("nextSteps"),
    sideEffects: added("sideEffects"),
  };
}

function joined(before: readonly string[], more: readonly string[]): readonly string[] {
  const lines = more.map((line) => inlineText(line)).filter((line) => line !== "");
  return [...new Set([...before, ...lines])];
}

/** Returns the current summary for the summary model, as Markdown with the id of each entry that a patch may name. Pure. */
export function numberSummary(summary: Summary): string {
  const sections = [...stateSections, ...factSections, ...quotedSections].filter(
    (section) => summary[section].length > 0,
  );
  return sections
    .map((section) => {
      const lines = summary[section].map(
        (entry, index) => `- [${entryId(section, index)}] ${inlineText(entry)}`,
      );
      return `## ${summaryHeadings[section]}\n${lines.join("\n")}`;
    })
    .join("\n\n");
}

/** Maximum characters of each section for every token of the summary. */
const shares = {
  intent: 1,
  /** A third of it for extracted ones. */
  findings: 6,
  decisions: 1.5,
  openQuestions: 1,
  uncertainties: 0.5,
  done: 1,
  inProgress: 0.75,
  plan: 4,
  nextSteps: 2,
  sideEffects: 1.5,
  artifacts: 3,
  index: 1.2,
} as const;

/**
 * Returns a summary with each section cut to its share of `tokens`; the newest entries stay.
 *
 * Pure. The file of the earlier summary, which the index names, holds the dropped entries. `tokens` is the size of one
 * summary; the lines of the user and the excerpts have their own limits.
 */
export function boundSummary(summary: Summary, tokens: number): Summary {
  const bounded = Object.entries(shares).map(([section, share]) => [
    section,
    fitting(section)(summary[section as keyof typeof shares], tokens * share),
  ]);
  return { ...summary, ...Object.fromEntries(bounded) };
}
