import type { BaseMessage } from "@langchain/core/messages";
import { ContextError } from "./context-error.js";
import { copyMessage } from "./copy-message.js";
import { foldOf, withoutFold, type Fold } from "./fold.js";
import { fromStoredMessage, type StoredMessage } from "./stored-message.js";

/** Returns the text of an archive file. May throw when it is not there: `unfold` passes the error on. */
export type ReadArchive = (path: string) => Promise<string>;

export interface UnfoldOptions {
  /** How many levels of folds to open. @default Infinity: back to the thread as it happened */
  readonly levels?: number;
  /** Which of the folds that stand in the messages to open; what lies inside those follows `levels`. @default all */
  readonly folds?: ((fold: Fold) => boolean) | undefined;
}

/** Returns a choice for `unfold`: the fold with this id, archive path or record. */
export function foldNamed(name: string): (fold: Fold) => boolean {
  return ({ id, path, record }) => id === name || path === name || record === name;
}

/**
 * Returns the messages with their folds replaced by the originals: the inverse of every pass.
 *
 * All of them, one (`folds: foldNamed(id)`), or one level of each (`levels: 1`).
 * Does no I/O but through `read`; leaves its input as it is.
 * @throws ContextError `bad-record` when an archive file is not what the fold says it is.
 */
export async function unfold(
  messages: readonly BaseMessage[],
  read: ReadArchive,
  { levels = Infinity, folds }: UnfoldOptions = {},
): Promise<BaseMessage[]> {
  let opened: BaseMessage[] = [];
  for (const message of messages) {
    const fold = folds === undefined ? undefined : foldOf(message);
    const closed = fold !== undefined && folds?.(fold) !== true;
    opened = await open(message, { opened, read, levels: closed ? 0 : levels });
  }
  return opened;
}

interface OpenOptions {
  /** What stands before the message, opened as far as it goes. */
  readonly opened: BaseMessage[];
  readonly read: ReadArchive;
  readonly levels: number;
}

/** Depth first, so that all which stands before a summary is open when its carried messages are looked for. */
async function open(message: BaseMessage, { opened, read, levels }: OpenOptions): Promise<BaseMessage[]> {
  const fold = levels > 0 ? foldOf(message) : undefined;
  if (fold === undefined) {
    opened.push(message);
    return opened;
  }
  // Carried messages are part of the record: they come back at the place where they were said.
  const carried = new Set(fold.carried);
  let result = carried.size === 0 ? opened : opened.filter(({ id }) => id === undefined || !carried.has(id));
  for (const original of await originalsOf(message, fold, read)) {
    result = await open(original, { opened: result, read, levels: levels - 1 });
  }
  return result;
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
  const text = await read(fold.record);
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => parseRecord(line, fold.record ?? fold.path));
}

function parseRecord(line: string, path: string): BaseMessage {
  try {
    return fromStoredMessage(JSON.parse(line) as StoredMessage);
  } catch (cause) {
    throw new ContextError(
      "bad-record",
      `${path} holds a line that is no stored message: ${line.slice(0, 80)}`,
      {
        cause,
      },
    );
  }
}
