import { summaryNotice } from "@palimpsest/context/internal";
import { archivedMessages } from "./archived-messages.js";

/**
 * Returns a readable file of the archive with the lines of its summaries emptied, so that line numbers stay. Pure.
 *
 * A later compaction folds the summary of an earlier one, whose originals are in the archive too. In a search, the copies in
 * that summary would displace later lines, and show old values without the ones that superseded them.
 */
export function withoutSummaries(text: string): string {
  if (!text.includes(summaryNotice)) return text;
  const lines = text.split("\n");
  const messages = archivedMessages(lines);
  for (const [at, { line, isSummary }] of messages.entries())
    if (isSummary) lines.fill("", line, messages[at + 1]?.line ?? lines.length);
  return lines.join("\n");
}
