import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type Fold } from "./fold.js";
import { heldFirst } from "./held.js";
import { messagesOfRecord } from "../messages/stored-message.js";
import { foldNamed, unfold, type ReadArchive } from "./unfold.js";

export interface FindFoldOptions {
  readonly read: ReadArchive;
  /** Maximum number of records to read from the archive, newest folds first. @default 200 */
  readonly most?: number;
}

/**
 * Finds a fold by its id, archive path or record. Returns the chain of folds that contain it, outermost first, with the
 * fold itself at the end, or undefined when it is not found.
 *
 * Searches the folds in the messages, then their records, level by level. Skips a record that cannot be read. All I/O
 * goes through `read`.
 */
export async function findFold(
  messages: readonly BaseMessage[],
  name: string,
  { read: readArchive, most: maxRecords = 200 }: FindFoldOptions,
): Promise<readonly Fold[] | undefined> {
  const read = heldFirst(messages, readArchive);
  const isNamed = foldNamed(name);
  const seen = new Set<string>();
  let level = chainsBelow([], messages);
  for (let left = maxRecords; level.length > 0;) {
    const found = level.find((chain) => isNamed(lastOf(chain)));
    if (found !== undefined) return found;
    const next: Chain[] = [];
    for (const chain of level) {
      const { record } = lastOf(chain);
      if (record === undefined || seen.has(record) || left === 0) continue;
      seen.add(record);
      left--;
      next.push(...chainsBelow(chain, await originals(record, read)));
    }
    level = next;
  }
  return undefined;
}

/** Nested folds, from one in the context down to the last. Never empty. */
type Chain = readonly [...Fold[], Fold];

function lastOf(chain: Chain): Fold {
  return chain[chain.length - 1] as Fold;
}

function chainsBelow(above: readonly Fold[], messages: readonly BaseMessage[]): readonly Chain[] {
  const folds = messages.flatMap((message) => foldOf(message) ?? []);
  return folds.toReversed().map((fold): Chain => [...above, fold]);
}

async function originals(record: string, read: ReadArchive): Promise<readonly BaseMessage[]> {
  try {
    return messagesOfRecord(await read(record), record);
  } catch {
    return [];
  }
}

export interface UnfoldNamedOptions extends FindFoldOptions {
  /** Number of levels to open below the fold. @default Infinity: down to the originals */
  readonly levels?: number;
}

export interface UnfoldedNamed {
  readonly messages: BaseMessage[];
  /** The opened folds: those that contain the named fold, outermost first, then the named fold. */
  readonly folds: readonly Fold[];
}

/**
 * Returns the messages with one fold opened, or undefined when it is not found. `name` is its id, archive path or
 * record. Opens each fold that contains it by one level; other folds inside those stay closed.
 *
 * Opens all stand-ins of the messages that match the name.
 * @throws ContextError `corrupt` when an archive file does not hold the record of its fold.
 */
export async function unfoldNamed(
  messages: readonly BaseMessage[],
  name: string,
  { levels = Infinity, ...options }: UnfoldNamedOptions,
): Promise<UnfoldedNamed | undefined> {
  const isNamed = foldNamed(name);
  const direct = messages.flatMap((message) => foldOf(message) ?? []).filter(isNamed);
  const chain = direct.length > 0 ? direct : await findFold(messages, name, options);
  const read = heldFirst(messages, options.read);
  if (chain === undefined) return undefined;
  let opened = messages;
  for (const { id } of direct.length > 0 ? [] : chain.slice(0, -1)) {
    opened = await unfold(opened, read, { folds: (fold) => fold.id === id, levels: 1 });
  }
  return { messages: await unfold(opened, read, { folds: isNamed, levels }), folds: chain };
}
