import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../messages/copy-message.js";
import { withoutNote } from "../messages/note.js";
import { contentBlocks, messageText } from "../messages/text.js";
import { messagesOfRecord } from "../messages/stored-message.js";
import { carriedIds, foldOf, isOwn, withoutFold, type Fold } from "./fold.js";
import { heldOriginals, lostRecord, originalsPath, type ReadArchive } from "./held.js";
import { OpenedList } from "./opened-list.js";

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
  for (const [index, message] of messages.entries()) {
    const fold = folds === undefined ? undefined : foldOf(message);
    const staysClosed = fold !== undefined && folds?.(fold) !== true;
    const options = { opened, held, read: readOnce, levels: staysClosed ? 0 : levels };
    await open(message, options, insertedBefore(messages, index));
  }
  return opened.toArray();
}

/**
 * Replaces the folds that a predicate selects by their originals, and those that it selects among the folds inside them. A stand-in
 * whose originals are not in the archive stays as it is. Returns the same list where it selects none. All I/O goes through `read`.
 */
export async function openFolds(
  messages: readonly BaseMessage[],
  read: ReadArchive,
  isSelected: (fold: Fold) => boolean,
): Promise<readonly BaseMessage[]> {
  const missing = new Set<string>();
  const folds = (fold: Fold) => !missing.has(originalsPath(fold)) && isSelected(fold);
  const isOpened = (message: BaseMessage) => {
    const fold = foldOf(message);
    return fold !== undefined && folds(fold);
  };
  const readKnown = async (path: string) => {
    const text = await read(path).catch(undefinedIfMissing);
    if (text === undefined) missing.add(path);
    return text ?? "";
  };
  let opened = messages;
  while (opened.some(isOpened)) {
    const known = missing.size;
    const next = await unfold(opened, readKnown, { folds, levels: 1 });
    if (missing.size === known) opened = next;
  }
  return opened;
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
async function open(
  message: BaseMessage,
  options: OpenOptions,
  inserted: readonly Inserted[] = [],
): Promise<void> {
  const { opened, levels } = options;
  const start = opened.length;
  const fold = levels > 0 ? foldOf(message) : undefined;
  const originals = fold && (await originalsOf(message, fold, options.read));
  // Whoever opens all wants the whole thread.
  if (fold === undefined && levels === Infinity) await openLost(message, options);
  if (fold === undefined) opened.push(withoutNote(message));
  else if (originals === undefined) opened.push(withMissingNote(withoutNote(message), fold));
  else await openRecord(fold, withInserted(originals, inserted, opened), options);
  opened.mark(message.id, start);
}

/**
 * Opens what a stand-in stood for before the host has made another message of it, without its fold: what the host has written is its
 * own, and stays behind the originals.
 */
async function openLost(message: BaseMessage, options: OpenOptions): Promise<void> {
  const record = lostRecord(message);
  const text = record && (await options.read(record).catch(undefinedIfMissing));
  if (record === undefined || text === undefined) return;
  const originals = messagesOfRecord(text, record);
  const covers = originals.map((original) => original.id ?? "");
  // The fold that said which of them stay beside it is gone.
  await openRecord({ covers, carried: [...covers.keys()] }, originals, options);
}

/** Opens the originals of a fold, in place of those that stay beside its stand-in. */
async function openRecord(
  fold: Pick<Fold, "covers" | "carried" | "removed">,
  originals: readonly BaseMessage[],
  { opened, held, read, levels }: OpenOptions,
): Promise<void> {
  const carried = carriedIds(fold).map((id) => ({ id, taken: opened.take(id) }));
  // A stand-in that held originals while the archive failed may itself have been folded since then.
  for (const [path, content] of heldOriginals(originals)) held.set(path, content);
  const options = { opened, held, read, levels: levels - 1 };
  for (const [index, original] of originals.entries())
    await open(original, options, insertedBefore(originals, index));
  for (const { id, taken } of carried) {
    if (taken !== undefined) opened.settle(taken);
    else if (fold.removed?.includes(id) === true) opened.take(id);
  }
}

/** A message that the host has put among those that stay beside a stand-in. */
interface Inserted {
  readonly id: string;
  /** Id of the message that stayed beside the stand-in and that it follows; the host may have removed that one since. */
  readonly after: string;
}

/**
 * Returns the messages before a stand-in, behind one that stays beside it, that its fold does not know. Each follows what stood
 * before the next one that stays: where that one is gone, the messages between are folded, and the place is behind them. Pure.
 */
function insertedBefore(list: readonly BaseMessage[], at: number): readonly Inserted[] {
  const message = list[at];
  const fold = message && foldOf(message);
  // Hot path: few stand-ins have messages that stay beside them.
  if (fold?.carried === undefined || fold.carried.length === 0) return [];
  const carried = carriedIds(fold);
  const places = new Map(carried.map((id, place) => [id, place]));
  const known = new Set(fold.covers);
  const before = list.slice(0, at);
  const first = before.findIndex(({ id = "" }) => places.has(id));
  if (first < 0) return [];
  let next = carried.length;
  const inserted = before
    .slice(first)
    .toReversed()
    .flatMap((other) => {
      const { id = "" } = other;
      next = places.get(id) ?? next;
      const isInserted = id !== "" && !known.has(id) && isOwn(other);
      return isInserted ? { id, after: carried[next - 1] ?? "" } : [];
    });
  return inserted.toReversed();
}

/** Returns the originals of a stand-in with the inserted messages behind those that they followed, and takes these out. */
function withInserted(
  originals: readonly BaseMessage[],
  inserted: readonly Inserted[],
  opened: OpenedList,
): readonly BaseMessage[] {
  if (inserted.length === 0) return originals;
  const known = new Set(originals.map(({ id }) => id));
  const followers = new Map<string, BaseMessage[]>();
  for (const { id, after } of inserted) {
    if (!known.has(after) || known.has(id)) continue;
    const taken = opened.take(id)?.messages.flatMap((message) => message ?? []) ?? [];
    followers.set(after, [...(followers.get(after) ?? []), ...taken]);
  }
  return originals.flatMap((original) => [original, ...(followers.get(original.id ?? "") ?? [])]);
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
  return originalsIn(text, fold).map((original) => named(original, message));
}

/** Returns an original with the id of its stand-in where it had none: a result that is offloaded when it arrives gets one later. */
function named(original: BaseMessage, { id }: BaseMessage): BaseMessage {
  return original.id === undefined && id !== undefined ? copyMessage(original, { id }) : original;
}

/** Returns the messages of a fold's record that the fold restores. Pure. @throws like {@link messagesOfRecord} */
export function originalsIn(text: string, { kind, record = "", covers: [id] }: Fold): readonly BaseMessage[] {
  const originals = messagesOfRecord(text, record);
  // Folds of reasoning share a record.
  return kind === "reasoning" ? originals.filter((original) => original.id === id) : originals;
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
