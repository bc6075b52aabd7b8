import { summaryNotice } from "@palimpsest/context/internal";

/** A message in a readable file of the archive. */
export interface ArchivedMessage {
  /** Index of the line with its heading. */
  readonly line: number;
  /** Absent for a message without an id. */
  readonly id?: string;
  /** True for a stand-in of an earlier compaction, whose originals are in the archive as well. */
  readonly isSummary: boolean;
}

/** Heading of a message in a readable file of the archive. In the text of a message, such a line is escaped. */
const heading = /^## \d+\. (?:human|ai|tool|system|developer|function|generic|remove)\b/;
const summaryHeading = /^## \d+\. human `(?:summary|trim)-[^`]*`$/;
const idInHeading = /`([^`]+)`$/;

/** Returns true for the heading of a message in a readable file of the archive. Pure. */
export function isMessageHeading(line: string): boolean {
  return heading.test(line);
}

/** Returns the messages in the lines of a readable file of the archive. Pure. */
export function archivedMessages(lines: readonly string[]): readonly ArchivedMessage[] {
  return lines.flatMap((text, line) => {
    if (!isMessageHeading(text)) return [];
    const id = idInHeading.exec(text)?.[1];
    const isSummary = summaryHeading.test(text) && lines[line + 2]?.startsWith(summaryNotice) === true;
    return [{ line, isSummary, ...(id === undefined ? {} : { id }) }];
  });
}

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

/**
 * Returns the path of the file with the originals of the newest summary that a readable file folds. That file has what stayed beside
 * the summary, and so does this one. Pure.
 */
export function earlierFile(text: string): string | undefined {
  if (!text.includes(summaryNotice)) return undefined;
  const lines = text.split("\n");
  const at = archivedMessages(lines).findLast(({ isSummary }) => isSummary)?.line;
  // Below the heading: an empty line, the notice, and the path.
  return at === undefined ? undefined : originals.exec(lines[at + 3] ?? "")?.[1];
}

const originals = /^Originals: (\/context\/\S+)$/;

/**
 * Returns a readable file of the archive with the lines of those messages emptied that an earlier file has as well, word for word.
 * Each compaction archives what stays beside its summary again: in a search, the copies would displace other lines. Pure.
 */
export function withoutRepeated(text: string, earlier: string): string {
  const known = new Set(blocksOf(earlier.split("\n")).map(({ said }) => said));
  const lines = text.split("\n");
  for (const { from, to, said } of blocksOf(lines)) if (known.has(said)) lines.fill("", from, to);
  return lines.join("\n");
}

/** Returns the messages in the lines of a readable file, each without its number. */
function blocksOf(lines: readonly string[]) {
  const messages = archivedMessages(lines);
  return messages.map(({ line: from }, at) => {
    const to = messages[at + 1]?.line ?? lines.length;
    return {
      from,
      to,
      said: lines
        .slice(from, to)
        .join("\n")
        .replace(/^## \d+\./, "")
        .trimEnd(),
    };
  });
}
