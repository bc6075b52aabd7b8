import type { BaseMessage } from "@langchain/core/messages";
import { ContextError } from "../context-error.js";
import { copyMessage } from "../messages/copy-message.js";
import { withoutNote } from "../messages/note.js";
import { saidBy } from "../messages/said-by.js";
import { originalMessage } from "../messages/sound/original-message.js";
import { contentBlocks, messageText } from "../messages/text.js";
import { fromStoredMessage, type StoredMessage } from "../messages/stored-message.js";
import { carriedIds, foldOf, withoutFold, type Fold } from "./fold.js";
import { heldOriginals, type ReadArchive } from "./held.js";

export type { ReadArchive } from "./held.js";

export interface UnfoldOptions {
  /** Number of levels of folds to open. @default Infinity: restores the original thread */
  readonly levels?: number;
  /** Selects which folds of the messages to open. Folds nested inside them follow `levels`. @default all */
  readonly folds?: ((fold: Fold) => boolean) | undefined;
}

/** Returns a predicate for the fold with this id, archive path or record, or the block with a label such as `S12`. */
export function foldNamed(name: string): (fold: Fold) => boolean {
  return ({ id, path, record, block }) =>
    id === name || path === name || record === name || (block !== undefined && name === `S${block.id}`);
}

/**
 * Replaces folds by their originals: the inverse of every pass.
 *
 * Opens all folds, one fold (`folds: foldNamed(id)`), or one level of each (`levels: 1`). All I/O goes through `read`.
 * Does not modify its input.
 * @throws ContextError `corrupt` when an archive file does not hold the record of its fold.
 */
export async function unfold(
  messages: readonly BaseMessage[],
  read: ReadArchive,
  { levels = Infinity, folds }: UnfoldOptions = {},
): Promise<BaseMessage[]> {
  const opened = new OpenedList();
  const held = new Map(heldOriginals(messages));
  const readOnce = rememberNewest(async (path) => held.get(path) ?? read(path));
  for (const message of messages) {
    const fold = folds === undefined ? undefined : foldOf(message);
    const staysClosed = fold !== undefined && folds?.(fold) !== true;
    await open(message, { opened, held, read: readOnce, levels: staysClosed ? 0 : levels });
  }
  return opened.toArray();
}

/** Caches the last file: adjacent folds often share a record. */
function rememberNewest(read: ReadArchive): ReadArchive {
  let newest: { readonly path: string; readonly text: Promise<string> } | undefined;
  return (path) => {
    if (newest?.path !== path) newest = { path, text: read(path) };
    return newest.text;
  };
}

interface OpenOptions {
  /** The messages before this one, already opened. */
  readonly opened: OpenedList;
  /** Originals that stand-ins hold, those inside opened folds included. */
  readonly held: Map<string, string>;
  readonly read: ReadArchive;
  readonly levels: number;
}

/** Opens depth first: everything before a stand-in is open when its carried messages are taken out. */
async function open(message: BaseMessage, options: OpenOptions): Promise<void> {
  const { opened, levels } = options;
  const start = opened.length;
  const fold = levels > 0 ? foldOf(message) : undefined;
  const originals = fold && (await originalsOf(message, fold, options.read));
  if (fold === undefined) opened.push(withoutNote(message));
  else if (originals === undefined) opened.push(withMissingNote(withoutNote(message), fold));
  else await openRecord(fold, originals, options);
  opened.mark(message.id, start);
}

/** Opens the originals of a fold, in place of those that stay beside its stand-in. */
async function openRecord(
  fold: Fold,
  originals: readonly BaseMessage[],
  { opened, held, read, levels }: OpenOptions,
): Promise<void> {
  const carried = carriedIds(fold).map((id) => ({ id, taken: opened.take(id) }));
  // A stand-in that held originals while the archive failed may itself have been folded since then.
  for (const [path, content] of heldOriginals(originals)) held.set(path, content);
  for (const original of originals) await open(original, { opened, held, read, levels: levels - 1 });
  for (const { id, taken } of carried) {
    if (taken !== undefined) opened.settle(taken);
    else if (fold.removed?.includes(id) === true) opened.take(id);
  }
}

/** Everything that one message opened. */
interface Stretch {
  readonly id: string;
  readonly from: number;
  readonly messages: readonly (BaseMessage | undefined)[];
}

/** A list that takes out what a message opened in constant time: the depth of nested folds grows with the thread. */
class OpenedList {
  readonly #messages: (BaseMessage | undefined)[] = [];
  /** Positions of what each message opened, up to but not including the last. */
  readonly #stretches = new Map<string, (readonly [from: number, until: number])[]>();

  get length(): number {
    return this.#messages.length;
  }

  push(message: BaseMessage): void {
    this.#messages.push(message);
  }

  /** Notes that everything from `from` on was opened from the message with this id. */
  mark(id: string | undefined, from: number): void {
    if (id === undefined) return;
    const stretches = this.#stretches.get(id);
    if (stretches === undefined) this.#stretches.set(id, [[from, this.length]]);
    else stretches.push([from, this.length]);
  }

  /** Removes what a message opened, and returns the newest. */
  take(id: string): Stretch | undefined {
    let newest: Stretch | undefined;
    for (const [from, until] of this.#stretches.get(id) ?? []) {
      newest = { id, from, messages: this.#messages.slice(from, until) };
      this.#messages.fill(undefined, from, until);
    }
    this.#stretches.delete(id);
    return newest;
  }

  /**
   * Ends a {@link take} when the record is open. The record restores the message in its place; an edit that the host has made
   * since then takes the place of the original. What no record restores goes back to where it was.
   */
  settle({ id, from, messages }: Stretch): void {
    const [at, until = 0] = this.#stretches.get(id)?.at(-1) ?? [];
    if (at === undefined) {
      for (const [offset, message] of messages.entries()) this.#messages[from + offset] = message;
      this.#stretches.set(id, [[from, from + messages.length]]);
      return;
    }
    const current = onlyOf(messages);
    const recorded = onlyOf(this.#messages.slice(at, until));
    // A stand-in says less than its original.
    if (current === undefined || recorded === undefined || foldOf(current) !== undefined) return;
    if (saidBy(recorded) !== saidBy(current)) this.#messages[at] = current;
  }

  toArray(): BaseMessage[] {
    return this.#messages.flatMap((message) => (message === undefined ? [] : originalMessage(message)));
  }
}

/** Returns the only message of a list; undefined for a longer one. */
function onlyOf([message, ...others]: Stretch["messages"]): BaseMessage | undefined {
  return others.length > 0 ? undefined : message;
}

/** Returns what a fold replaces, or undefined when its file is not in the archive. */
async function originalsOf(
  message: BaseMessage,
  fold: Fold,
  read: ReadArchive,
): Promise<readonly BaseMessage[] | undefined> {
  const text = await read(fold.record ?? fold.path).catch(undefinedIfMissing);
  if (text === undefined) return undefined;
  if (fold.record === undefined) {
    return [copyMessage(message, { content: text, additional_kwargs: withoutFold(message) })];
  }
  const originals = messagesOfRecord(text, fold.record);
  if (fold.kind !== "reasoning") return originals;
  const [id] = fold.covers;
  return originals.filter((original) => original.id === id);
}

/** Returns undefined for the error of a file that does not exist; throws any other. */
export function undefinedIfMissing(error: unknown): undefined {
  if ((error as { readonly code?: unknown } | undefined)?.code !== "not-found") throw error;
}

/** Returns a stand-in whose original is missing, with one line that says so. */
function withMissingNote(message: BaseMessage, { record, path }: Fold): BaseMessage {
  const note = `[Not unfolded: ${record ?? path} is not in the archive of this thread.]`;
  if (messageText(message).includes(note)) return message;
  const { content } = message;
  if (typeof content === "string") return copyMessage(message, { content: `${content}\n${note}` });
  return copyMessage(message, { content: [...contentBlocks(message), { type: "text", text: note }] });
}

/**
 * Parses the messages of a record, oldest first. Pure.
 * @throws ContextError `corrupt` for a line that is not a stored message.
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
      `${path} holds a line that is not a stored message: ${line.slice(0, 80)}`,
      {
        cause,
      },
    );
  }
}
