import type { BaseMessage } from "@langchain/core/messages";
import { findFold, type FindFoldOptions } from "./find-fold.js";
import { foldOf, type Fold } from "./fold.js";
import { foldNamed, unfold } from "./unfold.js";

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
 * @throws ContextError `bad-record` when an archive file is not what the fold says it is.
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
