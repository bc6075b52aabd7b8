import { inlineText } from "../messages/text.js";
import { newestThatFit } from "./carried-state.js";
import { summaryHeadings, type Summary } from "./summary.js";

/** Sections that a patch adds to: what stands in them is never written again. */
export const factSections = ["findings", "decisions", "openQuestions", "done", "sideEffects"] as const;
/** Sections that say how things stand now: a patch replaces them. */
export const stateSections = ["intent", "inProgress", "nextSteps"] as const;

/** Sections that are taken from the messages: a patch can only settle their entries. */
export const quotedSections = ["uncertainties"] as const;

export type FactSection = (typeof factSections)[number];
export type StateSection = (typeof stateSections)[number];

/** What a later summary changes of an earlier one. */
export type SummaryPatch = Readonly<Record<FactSection | StateSection, readonly string[]>> & {
  /** Ids of entries that are settled. Those that were under way or next become done. */
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

/** A section whose entries a patch can name. */
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

/** Returns the id by which a patch names an entry of a summary: `f1` is the first finding. */
export function entryId(section: NumberedSection, index: number): string {
  return `${letters[section]}${index + 1}`;
}

/**
 * Returns the summary with a patch applied: entries added, settled and dropped; all others stay character for character.
 *
 * Pure. So a fact is put into words once, however often it is summarized over: nothing is lost a little each time.
 */
export function patchSummary(summary: Summary, patch: SummaryPatch): Summary {
  const gone = new Set([...patch.resolved, ...patch.obsolete].map((id) => id.trim().toLowerCase()));
  const resolved = new Set(patch.resolved.map((id) => id.trim().toLowerCase()));
  const left = (section: NumberedSection) =>
    summary[section].filter((_, index) => !gone.has(entryId(section, index)));
  const finished = (["inProgress", "nextSteps"] as const).flatMap((section) =>
    summary[section].filter((_, index) => resolved.has(entryId(section, index))),
  );
  const added = (section: FactSection) => joined(left(section), patch[section]);
  const stated = (section: StateSection) =>
    patch[section].length > 0 ? joined([], patch[section]) : left(section);
  return {
    ...summary,
    intent: stated("intent"),
    findings: added("findings"),
    decisions: added("decisions"),
    openQuestions: added("openQuestions"),
    uncertainties: left("uncertainties"),
    done: joined(left("done"), [...finished, ...patch.done]),
    inProgress: stated("inProgress"),
    nextSteps: stated("nextSteps"),
    sideEffects: added("sideEffects"),
  };
}

function joined(before: readonly string[], more: readonly string[]): readonly string[] {
  const lines = more.map((line) => inlineText(line)).filter((line) => line !== "");
  return [...new Set([...before, ...lines])];
}

/** Returns what a summarizer is shown of the record so far: each entry that it may settle or drop, with its id. Pure. */
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

/** Characters for a token of the whole that a section may have. */
const shares = {
  intent: 1,
  findings: 4,
  decisions: 1.5,
  openQuestions: 1,
  uncertainties: 0.5,
  done: 1,
  inProgress: 0.75,
  nextSteps: 2,
  sideEffects: 1.5,
} as const;

/**
 * Returns a summary whose sections stay within a size, however many summaries it goes on from: the newest entries stay.
 *
 * Pure. What falls out is in the file of the earlier summary, which the index names. `tokens` is the size of one
 * summary; constraints, files and index have limits of their own.
 */
export function boundSummary(summary: Summary, tokens: number): Summary {
  const bounded = Object.entries(shares).map(([section, share]) => [
    section,
    newestThatFit(summary[section as keyof typeof shares], tokens * share),
  ]);
  return { ...summary, ...Object.fromEntries(bounded) };
}
