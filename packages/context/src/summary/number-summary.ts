import { inlineText } from "../inline-text.js";
import { summaryHeadings, type Summary } from "../summary.js";
import { entryId, factSections, stateSections } from "./patch-summary.js";

/** Returns what a summarizer is shown of the record so far: each entry that it may settle or drop, with its id. Pure. */
export function numberSummary(summary: Summary): string {
  const sections = [...stateSections, ...factSections].filter((section) => summary[section].length > 0);
  return sections
    .map((section) => {
      const lines = summary[section].map(
        (entry, index) => `- [${entryId(section, index)}] ${inlineText(entry)}`,
      );
      return `## ${summaryHeadings[section]}\n${lines.join("\n")}`;
    })
    .join("\n\n");
}
