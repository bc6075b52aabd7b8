import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type Fold } from "./fold.js";
import { foldNamed, messagesOfRecord, unfold, type ReadArchive } from "./unfold.js";

export interface FindFoldOptions {
  readonly read: ReadArchive;
  /** Records of the archive that are read at most; the newest folds come first. @default 200 */
  readonly most?: number;
}

/**
 * Returns the way to a fold by its id, archive path or record: the folds that it lies in, outermost first, and at the
 * end the fold itself. Undefined when it is not found.
 *
 * Looks at the folds that stand in the messages, then into their records, level by level. A record that cannot be
 * read is passed over: what it holds is not found. Does no I/O but through `read`.
 */
export async function findFold(
  messages: readonly BaseMessage[],
  name: string,
  { read, most = 200 }: FindFoldOptions,
): Promise<readonly Fold[] | undefined> {
  const isNamed = foldNamed(name);
  const seen = new Set<string>();
  let level = waysBelow([], messages);
  for (let left = most; level.length > 0;) {
    const found = level.find((way) => isNamed(lastOf(way)));
    if (found !== undefined) return found;
    const next: Way[] = [];
    for (const way of level) {
      const { record } = lastOf(way);
      if (record === undefined || seen.has(record) || left === 0) continue;
      seen.add(record);
      left--;
      next.push(...waysBelow(way, await originals(record, read)));
    }
    level = next;
  }
  return undefined;
}

/** The folds from the context down to one, the last. Never empty. */
type Way = readonly [...Fold[], Fold];

function lastOf(way: Way): Fold {
  return way[way.length - 1] as Fold;
}

function waysBelow(above: readonly Fold[], messages: readonly BaseMessage[]): readonly Way[] {
  const folds = messages.flatMap((message) => foldOf(message) ?? []);
  return folds.toReversed().map((fold): Way => [...above, fold]);
}

async function originals(record: string, read: ReadArchive): Promise<readonly BaseMessage[]> {
  try {
    return messagesOfRecord(await read(record), record);
  } catch {
    return [];
  }
}

export interface UnfoldNamedOptions extends FindFoldOptions {
  /** How many levels of the fold to open. @default Infinity: down to the originals */
  readonly levels?: number;
}

export interface UnfoldedNamed {
  readonly messages: BaseMessage[];
  /** The folds that were opened: those that the named one lay in, outermost first, and the named one itself. */
  readonly folds: readonly Fold[];
}

/**
 * Returns the messages with one fold opened, by its id, archive path or record, also where it lies inside other folds:
 * those are opened by one level, and what else lies in them stays closed. Undefined when it is not found.
 *
 * Where several stand-ins of the messages have the same path, all of them are opened.
 * @throws ContextError `corrupt` when an archive file is not what the fold says it is.
 */
export async function unfoldNamed(
  messages: readonly BaseMessage[],
  name: string,
  { levels = Infinity, ...finding }: UnfoldNamedOptions,
): Promise<UnfoldedNamed | undefined> {
  const chosen = foldNamed(name);
  const standing = messages.flatMap((message) => foldOf(message) ?? []).filter(chosen);
  const way = standing.length > 0 ? standing : await findFold(messages, name, finding);
  const { read } = finding;
  if (way === undefined) return undefined;
  let opened = messages;
  for (const { id } of standing.length > 0 ? [] : way.slice(0, -1)) {
    opened = await unfold(opened, read, { folds: (fold) => fold.id === id, levels: 1 });
  }
  return { messages: await unfold(opened, read, { folds: chosen, levels }), folds: way };
}
