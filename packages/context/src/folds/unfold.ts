import type { BaseMessage } from "@langchain/core/messages";
import { ContextError } from "../context-error.js";
import { copyMessage } from "../messages/copy-message.js";
import { withoutNote } from "../messages/note.js";
import { fromStoredMessage, type StoredMessage } from "../messages/stored-message.js";
import { foldOf, withoutFold, type Fold } from "./fold.js";

/** Returns the text of an archive file. May throw when it is not there: `unfold` passes the error on. */
export type ReadArchive = (path: string) => Promise<string>;

export interface UnfoldOptions {
  /** How many levels of folds to open. @default Infinity: back to the thread as it happened */
  readonly levels?: number;
  /** Which of the folds that stand in the messages to open; what lies inside those follows `levels`. @default all */
  readonly folds?: ((fold: Fold) => boolean) | undefined;
}

/** Returns a choice for `unfold`: the fold with this id, archive path or record, or the block with a label such as `S12`. */
export function foldNamed(name: string): (fold: Fold) => boolean {
  return ({ id, path, record, block }) =>
    id === name || path === name || record === name || (block !== undefined && name === `S${block.id}`);
}

/**
 * Returns the messages with their folds replaced by the originals: the inverse of every pass.
 *
 * All of them, one (`folds: foldNamed(id)`), or one level of each (`levels: 1`).
 * Does no I/O but through `read`; leaves its input as it is.
 * @throws ContextError `corrupt` when an archive file is not what the fold says it is.
 */
export async function unfold(
  messages: readonly BaseMessage[],
  read: ReadArchive,
  { levels = Infinity, folds }: UnfoldOptions = {},
): Promise<BaseMessage[]> {
  const opened = new OpenedList();
  const readOnce = rememberNewest(read);
  for (const message of messages) {
    const fold = folds === undefined ? undefined : foldOf(message);
    const closed = fold !== undefined && folds?.(fold) !== true;
    await open(message, { opened, read: readOnce, levels: closed ? 0 : levels });
  }
  return opened.toArray();
}

/** Neighbors often share a record. */
function rememberNewest(read: ReadArchive): ReadArchive {
  let newest: { readonly path: string; readonly text: Promise<string> } | undefined;
  return (path) => {
    if (newest?.path !== path) newest = { path, text: read(path) };
    return newest.text;
  };
}

interface OpenOptions {
  /** What stands before the message, opened as far as it goes. */
  readonly opened: OpenedList;
  readonly read: ReadArchive;
  readonly levels: number;
}

/** Depth first, so that all which stands before a summary is open when its carried messages are looked for. */
async function open(message: BaseMessage, { opened, read, levels }: OpenOptions): Promise<void> {
  const fold = levels > 0 ? foldOf(message) : undefined;
  if (fold === undefined) {
    opened.push(withoutNote(message));
    return;
  }
  // Carried messages are part of the record: they come back at the place where they were said.
  for (const id of fold.carried ?? []) opened.remove(id);
  for (const original of await originalsOf(message, fold, read)) {
    await open(original, { opened, read, levels: levels - 1 });
  }
}

/** A list from which messages are taken by id without a walk over it: folds nest as deep as a thread is long. */
class OpenedList {
  readonly #messages: (BaseMessage | undefined)[] = [];
  readonly #places = new Map<string, number[]>();

  push(message: BaseMessage): void {
    if (message.id !== undefined) {
      const places = this.#places.get(message.id);
      if (places === undefined) this.#places.set(message.id, [this.#messages.length]);
      else places.push(this.#messages.length);
    }
    this.#messages.push(message);
  }

  remove(id: string): void {
    for (const place of this.#places.get(id) ?? []) this.#messages[place] = undefined;
    this.#places.delete(id);
  }

  toArray(): BaseMessage[] {
    return this.#messages.filter((message) => message !== undefined);
  }
}

async function originalsOf(
  message: BaseMessage,
  fold: Fold,
  read: ReadArchive,
): Promise<readonly BaseMessage[]> {
  if (fold.record === undefined) {
    const content = await read(fold.path);
    return [copyMessage(message, { content, additional_kwargs: withoutFold(message) })];
  }
  const originals = messagesOfRecord(await read(fold.record), fold.record);
  if (fold.kind !== "reasoning") return originals;
  const [id] = fold.covers;
  return originals.filter((original) => original.id === id);
}

/**
 * Returns the messages that a record holds, oldest first. Pure.
 * @throws ContextError `corrupt` for a line that is no stored message.
 */
export function messagesOfRecord(text: string, path: string): readonly BaseMessage[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => parseRecord(line, path));
}

function parseRecord(line: string, path: string): BaseMessage {
  try {
    return fromStoredMessage(JSON.parse(line) as StoredMessage);
  } catch (cause) {
    throw new ContextError(
      "corrupt",
      `${path} holds a line that is no stored message: ${line.slice(0, 80)}`,
      {
        cause,
      },
    );
  }
}
