import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { ArchiveWrite, Fold } from "@palimpsest/context";
import { archiveFolders, digest, foldKwargs, messageLines, recordText } from "@palimpsest/context/internal";
import { type IndexedChunk, linesText } from "@palimpsest/context/selection";

/** Children of a page: 16 steps, or 16 pages one level below. */
export const pageSize = 16;
const { steps: root } = archiveFolders;

/** An archived step, page of steps or page of pages. The memory holds one for each step, so it is small. */
export interface ArchivedSteps {
  /** File name without its ending, such as `57-3fa9c1`. */
  readonly name: string;
  readonly directory: string;
  readonly first: number;
  readonly last: number;
  /** How the step begins; "" for a page. */
  readonly about: string;
  /** Ids of the messages of the step, or of the stand-ins in the page. */
  readonly covers: readonly string[];
  /** Characters of the text file. */
  readonly size: number;
}

/** An entry with the files to write for it. */
export interface ArchivedEntry {
  readonly entry: ArchivedSteps;
  readonly writes: readonly ArchiveWrite[];
}

/** Returns the files of a step: its lines for the agent, its messages for unfolding. Named by content. Pure. */
export function archiveStep(chunk: IndexedChunk, messages: readonly BaseMessage[]): ArchivedEntry {
  const record = recordText(messages);
  // Do not read the chunk: the index empties lines that it no longer selects from.
  const lines = messages.flatMap((message) => messageLines(message));
  const text = linesText({ lines }, 0, lines.length);
  const entry: ArchivedSteps = {
    name: `${chunk.index}-${shortDigest(record)}`,
    directory: root,
    first: chunk.index,
    last: chunk.index,
    about: chunk.title,
    covers: messages.flatMap(({ id }) => (id === undefined ? [] : [id])),
    size: text.length,
  };
  return { entry, writes: writesOf(entry, { text, record }) };
}

/** Returns the files of one entry that lists several others. Named by content. Pure. */
export function archivePage(
  children: readonly ArchivedSteps[],
  directory: "pages" | "runs" = "pages",
): ArchivedEntry {
  const record = recordText(children.map(standInOf));
  const first = children[0]?.first ?? 0;
  const last = children.at(-1)?.last ?? 0;
  const text = children.map((child) => `${titleOf(child)} -> ${textPath(child)}\n`).join("");
  const entry: ArchivedSteps = {
    name: `${first}-${last}-${shortDigest(record)}`,
    directory: `${root}${directory}/`,
    first,
    last,
    about: "",
    covers: children.map(({ name }) => `steps-${name}`),
    size: text.length,
  };
  return { entry, writes: writesOf(entry, { text, record }) };
}

/** Returns the path of the text, which the agent reads. */
export function textPath({ directory, name }: ArchivedSteps): string {
  return `${directory}${name}.md`;
}

/** Returns the path of the record: the messages of a step, or the stand-ins of a page's children. */
export function recordPath({ directory, name }: ArchivedSteps): string {
  return `${directory}${name}.jsonl`;
}

/** Returns the line of an entry in the text of a page. */
function titleOf({ first, last, about, directory }: ArchivedSteps): string {
  return directory === root ? `step ${first}: ${about}` : `steps ${first} to ${last}`;
}

/** Returns the stand-in of an entry, for the record of a page. Made on demand, to keep nothing more for each step. */
function standInOf(entry: ArchivedSteps): BaseMessage {
  const title = titleOf(entry);
  const fold: Fold = {
    id: `steps-${entry.name}`,
    kind: "chunk",
    path: textPath(entry),
    record: recordPath(entry),
    covers: entry.covers,
    tokensBefore: Math.ceil(entry.size / 4),
    tokensAfter: Math.ceil(title.length / 4),
  };
  return new HumanMessage({ id: fold.id, content: title, additional_kwargs: foldKwargs(fold) });
}

/** The record comes last: if it exists, the text exists. */
function writesOf(
  entry: ArchivedSteps,
  { text, record }: { readonly text: string; readonly record: string },
): readonly ArchiveWrite[] {
  return [
    { path: textPath(entry), content: text.toWellFormed() },
    { path: recordPath(entry), content: record },
  ];
}

function shortDigest(text: string): string {
  return digest(text).slice(0, 6);
}
