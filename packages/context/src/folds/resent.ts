import type { BaseMessage } from "@langchain/core/messages";
import { contentBlocks, messageText } from "../messages/text.js";
import { isCallBlock, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { isReasoningBlock } from "../messages/provider/reasoning.js";
import { fromStoredMessage, toStoredMessage } from "../messages/stored-message.js";
import { foldOf, foldsIn, type Fold } from "./fold.js";
import { heldFirst } from "./held.js";
import { messagesOfRecord, undefinedIfMissing, unfold, type ReadArchive } from "./unfold.js";

/** Maximum number of records to read for the originals of one summary. */
const maxRecords = 200;

/**
 * Removes copies of messages that a summary covers from behind it. Returns the same list when it contains none.
 *
 * A client that sends the whole history with each turn sends what was folded as well. A reducer that merges by id finds no such
 * ids in the list any more, and appends them. A copy says what its original in the archive says; whatever else has its id, such
 * as an edited message, stays. A call and its results are removed together or not at all. All I/O goes through `read`.
 * @throws ContextError `corrupt` when an archive file does not hold the record of its fold.
 */
export async function withoutResent(
  messages: readonly BaseMessage[],
  readArchive: ReadArchive,
): Promise<readonly BaseMessage[]> {
  const outer = resentBehind(messages);
  if (outer === undefined) return messages;
  const read = heldFirst(messages, readArchive);
  const originals = await originalsOf(outer.fold, read);
  const rest = messages.slice(outer.at + 1);
  const copies = new Set<BaseMessage>();
  for (const message of rest) {
    if (await isCopy(message, originals.get(message.id ?? "") ?? [], read)) copies.add(message);
  }
  const resent = new Set(stepsOf(rest).flatMap((step) => (step.every((one) => copies.has(one)) ? step : [])));
  for (const message of rest) if (!resent.has(message)) kept.set(message, outer.fold);
  return resent.size === 0 ? messages : messages.filter((message) => !resent.has(message));
}

/** Messages behind a summary that were found to be no copies: within a run a step meets the same objects again. */
const kept = new WeakMap<BaseMessage, Fold>();

/** Returns true if a message after a summary may be a copy of one that the summary covers. Reads no archive. */
export function hasResent(messages: readonly BaseMessage[]): boolean {
  return resentBehind(messages) !== undefined;
}

/** Returns the outermost summary if a message after it may be a copy of one that it covers. */
function resentBehind(messages: readonly BaseMessage[]) {
  // Hot path: the last summary is the only one in nearly every list.
  const summaries = foldsIn(messages).filter(
    ({ value }) => value.kind === "summary" || value.kind === "trim",
  );
  const isInner = (index: number) =>
    summaries.some(({ value }) => idsCoveredBy(value).has(messages[index]?.id ?? ""));
  const outer = summaries.length < 2 ? summaries[0] : summaries.findLast(({ index }) => !isInner(index));
  if (outer === undefined) return undefined;
  const covered = idsCoveredBy(outer.value);
  const mayBeCopy = (message: BaseMessage) =>
    covered.has(message.id ?? "") && kept.get(message) !== outer.value;
  const isResent = messages.slice(outer.index + 1).some(mayBeCopy);
  return isResent ? { fold: outer.value, at: outer.index } : undefined;
}

const known = new WeakMap<Fold, ReadonlySet<string>>();

function idsCoveredBy(fold: Fold): ReadonlySet<string> {
  const ids = known.get(fold) ?? new Set(fold.covers);
  known.set(fold, ids);
  return ids;
}

/** Returns all that the records of a fold, and of the folds inside them, hold under each id. */
async function originalsOf(
  outer: Fold,
  read: ReadArchive,
): Promise<ReadonlyMap<string, readonly BaseMessage[]>> {
  const originals = new Map<string, BaseMessage[]>();
  const records = new Set([outer.record]);
  // The set grows while it is read.
  for (const record of records) {
    if (record === undefined || records.size > maxRecords) continue;
    const text = await read(record).catch(undefinedIfMissing);
    for (const message of text === undefined ? [] : messagesOfRecord(text, record)) {
      const { id = "" } = message;
      originals.set(id, [...(originals.get(id) ?? []), message]);
      records.add(foldOf(message)?.record);
    }
  }
  return originals;
}

/** True where a message says what an original says, in its short form or whole. */
async function isCopy(
  message: BaseMessage,
  originals: readonly BaseMessage[],
  read: ReadArchive,
): Promise<boolean> {
  // A message of a class of the host is another one when it comes from the archive.
  const own = saidBy(fromStoredMessage(toStoredMessage(message)));
  if (originals.some((original) => saidBy(original) === own)) return true;
  for (const original of originals.filter(foldOf)) {
    const opened = await unfold([original], read);
    if (opened.some((whole) => whole.id === message.id && saidBy(whole) === own)) return true;
  }
  return false;
}

/** Returns what a message says, without what a client may leave out of its copy: metadata, usage, reasoning. */
function saidBy(message: BaseMessage): string {
  const others = contentBlocks(message).filter(
    (block) => block["type"] !== "text" && !isReasoningBlock(block) && !isCallBlock(block),
  );
  const calls = toolCalls(message).map(({ id, name, args }) => [id, name, args]);
  const result = isToolResult(message) ? message.tool_call_id : undefined;
  return JSON.stringify([message.getType(), messageText(message), others, calls, result]);
}

/** Returns the messages in groups: a message with calls and the results behind it, any other message alone. */
function stepsOf(messages: readonly BaseMessage[]): readonly (readonly BaseMessage[])[] {
  const steps: BaseMessage[][] = [];
  let open: { readonly step: BaseMessage[]; readonly calls: ReadonlySet<string | undefined> } | undefined;
  for (const message of messages) {
    if (open !== undefined && isToolResult(message) && open.calls.has(message.tool_call_id)) {
      open.step.push(message);
      continue;
    }
    const step = [message];
    const calls = toolCalls(message);
    if (calls.length > 0) open = { step, calls: new Set(calls.map(({ id }) => id)) };
    steps.push(step);
  }
  return steps;
}
