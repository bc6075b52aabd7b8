import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { toStoredMessage, type ArchiveWrite, type Fold } from "@palimpsest/context";
import { digest, foldKwargs, messageLines } from "@palimpsest/context/internal";
import { type IndexedChunk, linesText } from "@palimpsest/context/selection";

/** Children of a page: steps, then pages of steps, and so on. */
export const pageSize = 16;
const root = "/context/steps";

/** Something in the archive that stands for steps in a record: a step, a page of steps, a page of pages. Kept for each step. */
export interface ArchivedSteps {
  /** File name without its ending, such as `57-3fa9c1`. */
  readonly name: string;
  readonly directory: string;
  readonly first: number;
  readonly last: number;
  /** How it begins; "" for a page. */
  readonly about: string;
  /** Ids of the messages or of the stand-ins that it replaces. */
  readonly covers: readonly string[];
  /** Characters of its file. */
  readonly size: number;
}

/** An entry of the archive with the files that make it. */
export interface ArchivedEntry {
  readonly entry: ArchivedSteps;
  readonly writes: readonly ArchiveWrite[];
}

/** Returns what archives a step: its lines for the reader, its messages for the way back. Pure, named by content. */
export function archiveStep(chunk: IndexedChunk, messages: readonly BaseMessage[]): ArchivedEntry {
  const record = messages.map((message) => `${JSON.stringify(toStoredMessage(message))}\n`).join("");
  // From the messages: the index has let go of the lines that it does not choose from any more.
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

/** Returns what archives several entries as one. Pure, named by content. */
export function archivePage(
  children: readonly ArchivedSteps[],
  directory: "pages" | "runs" = "pages",
): ArchivedEntry {
  const record = children.map((child) => `${recordLine(child)}\n`).join("");
  const first = children[0]?.first ?? 0;
  const last = children.at(-1)?.last ?? 0;
  const text = children.map((child) => `${titleOf(child)} -> ${pathOf(child)}\n`).join("");
  const entry: ArchivedSteps = {
    name: `${first}-${last}-${shortDigest(record)}`,
    directory: `${root}/${directory}`,
    first,
    last,
    about: "",
    covers: children.map(({ name }) => `steps-${name}`),
    size: text.length,
  };
  return { entry, writes: writesOf(entry, { text, record }) };
}

/** Returns the path that the agent reads it at. */
export function pathOf({ directory, name }: ArchivedSteps): string {
  return `${directory}/${name}.md`;
}

/** Returns the path of its messages, or of the stand-ins of its children. */
export function recordPathOf({ directory, name }: ArchivedSteps): string {
  return `${directory}/${name}.jsonl`;
}

/** Returns the steps of a run from the path of its stand-in; undefined for another path. */
export function runOf(path: string): { readonly first: number; readonly last: number } | undefined {
  const [, first, last] = /^\/context\/steps\/runs\/(\d+)-(\d+)-[0-9a-f]{6}\.md$/.exec(path) ?? [];
  return first === undefined || last === undefined ? undefined : { first: Number(first), last: Number(last) };
}

/** One line for a list of contents. */
function titleOf({ first, last, about, directory }: ArchivedSteps): string {
  return directory === root ? `step ${first}: ${about}` : `steps ${first} to ${last}`;
}

/** The stand-in as a line of a record; written when it is needed, since a step has one for ever. */
function recordLine(entry: ArchivedSteps): string {
  const title = titleOf(entry);
  const fold: Fold = {
    id: `steps-${entry.name}`,
    kind: "chunk",
    path: pathOf(entry),
    record: recordPathOf(entry),
    covers: entry.covers,
    tokensBefore: Math.ceil(entry.size / 4),
    tokensAfter: Math.ceil(title.length / 4),
  };
  const standIn = new HumanMessage({ id: fold.id, content: title, additional_kwargs: foldKwargs(fold) });
  return JSON.stringify(toStoredMessage(standIn));
}

/** The record last: where it is, the rest is. */
function writesOf(
  entry: ArchivedSteps,
  { text, record }: { readonly text: string; readonly record: string },
): readonly ArchiveWrite[] {
  return [
    { path: pathOf(entry), content: text.toWellFormed() },
    { path: recordPathOf(entry), content: record },
  ];
}

function shortDigest(text: string): string {
  return digest(text).slice(0, 6);
}
