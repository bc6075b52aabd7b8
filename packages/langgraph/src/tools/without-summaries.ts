import { summaryNotice } from "@palimpsest/context/internal";

/** The heading of a message in a readable file of the archive; in the text of a message such a line is escaped. */
const heading = /^## \d+\. (?:human|ai|tool|system|developer|function|generic|remove)\b/;
const summaryHeading = /^## \d+\. human `summary-[^`]*`$/;

/**
 * Returns a readable file of the archive with the lines of its summaries empty, so that the numbers of the others stay. Pure.
 *
 * A later compaction folds the summary of an earlier one. Its originals are in the archive as well: in a search its copies of
 * their lines would take the place of what came later, and show old values without those that superseded them.
 */
export function withoutSummaries(text: string): string {
  if (!text.includes(summaryNotice)) return text;
  const lines = text.split("\n");
  let isInSummary = false;
  return lines
    .map((line, at) => {
      if (heading.test(line))
        isInSummary = summaryHeading.test(line) && lines[at + 2]?.startsWith(summaryNotice) === true;
      return isInSummary ? "" : line;
    })
    .join("\n");
}
