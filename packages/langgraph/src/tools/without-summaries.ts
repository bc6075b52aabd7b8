import { summaryNotice } from "@palimpsest/context/internal";
import { archivedMessages } from "./archived-messages.js";

/**
 * Returns a readable file of the archive with the lines of its summaries empty, so that the numbers of the others stay. Pure.
 *
 * A later compaction folds the summary of an earlier one. Its originals are in the archive as well: in a search its copies of
 * their lines would take the place of what came later, and show old values without those that superseded them.
 */
export function withoutSummaries(text: string): string {
  if (!text.includes(summaryNotice)) return text;
  const lines = text.split("\n");
  const messages = archivedMessages(lines);
  for (const [at, { line, isSummary }] of messages.entries())
    if (isSummary) lines.fill("", line, messages[at + 1]?.line ?? lines.length);
  return lines.join("\n");
}
