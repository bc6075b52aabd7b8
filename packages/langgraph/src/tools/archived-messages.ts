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

/** Returns the messages in the lines of a readable file of the archive. Pure. */
export function archivedMessages(lines: readonly string[]): readonly ArchivedMessage[] {
  return lines.flatMap((text, line) => {
    if (!heading.test(text)) return [];
    const id = idInHeading.exec(text)?.[1];
    const isSummary = summaryHeading.test(text) && lines[line + 2]?.startsWith(summaryNotice) === true;
    return [{ line, isSummary, ...(id === undefined ? {} : { id }) }];
  });
}
