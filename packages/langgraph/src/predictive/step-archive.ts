import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  digest,
  foldKwargs,
  toStoredMessage,
  type ArchiveWrite,
  type Fold,
  type IndexedChunk,
  linesText,
} from "@palimpsest/context";

/** Children of a page: steps, then pages of steps, and so on. */
export const pageSize = 16;
const root = "/context/steps";

/** Something in the archive that stands for steps in a record: a step, a page of steps, a page of pages. */
export interface ArchivedSteps {
  /** File name without its ending, such as `57-3fa9c1`. */
  readonly name: string;
  readonly path: string;
  /** The stand-in as a line of a record. */
  readonly line: string;
  /** One line for a list of contents. */
  readonly title: string;
  readonly first: number;
  readonly last: number;
}

/** An entry of the archive with the files that make it. */
export interface ArchivedEntry {
  readonly entry: ArchivedSteps;
  readonly writes: readonly ArchiveWrite[];
}

/** Returns what archives a step: its lines for the reader, its messages for the way back. Pure, named by content. */
export function archiveStep(chunk: IndexedChunk, messages: readonly BaseMessage[]): ArchivedEntry {
  const record = messages.map((message) => `${JSON.stringify(toStoredMessage(message))}\n`).join("");
  const name = `${chunk.index}-${shortDigest(record)}`;
  const text = linesText(chunk, 0, chunk.lines.length);
  const covers = messages.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const place = { first: chunk.index, last: chunk.index, title: `step ${chunk.index}: ${chunk.title}` };
  return entryOf({ name, directory: root, text, record, covers, ...place });
}

/** Returns what archives several entries as one. Pure, named by content. */
export function archivePage(children: readonly ArchivedSteps[], directory = "pages"): ArchivedEntry {
  const record = children.map(({ line }) => `${line}\n`).join("");
  const first = children[0]?.first ?? 0;
  const last = children.at(-1)?.last ?? 0;
  const text = children.map(({ title, path }) => `${title} -> ${path}\n`).join("");
  const covers = children.map(({ name }) => `steps-${name}`);
  const title = `steps ${first} to ${last}`;
  const name = `${first}-${last}-${shortDigest(record)}`;
  return entryOf({ name, directory: `${root}/${directory}`, text, record, covers, first, last, title });
}

interface EntryParts extends Omit<ArchivedSteps, "line" | "path"> {
  readonly directory: string;
  readonly text: string;
  readonly record: string;
  readonly covers: readonly string[];
}

function entryOf(parts: EntryParts): ArchivedEntry {
  const { name, directory, text, record, covers, first, last, title } = parts;
  const path = `${directory}/${name}.md`;
  const fold: Fold = {
    id: `steps-${name}`,
    kind: "chunk",
    path,
    record: `${directory}/${name}.jsonl`,
    covers,
    tokensBefore: Math.ceil(text.length / 4),
    tokensAfter: Math.ceil(title.length / 4),
  };
  const standIn = new HumanMessage({ id: fold.id, content: title, additional_kwargs: foldKwargs(fold) });
  return {
    entry: { name, path, line: JSON.stringify(toStoredMessage(standIn)), title, first, last },
    // The record last: where it is, the rest is.
    writes: [
      { path, content: text.toWellFormed() },
      { path: `${directory}/${name}.jsonl`, content: record },
    ],
  };
}

function shortDigest(text: string): string {
  return digest(text).slice(0, 6);
}
