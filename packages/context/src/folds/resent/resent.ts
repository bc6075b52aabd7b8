import type { BaseMessage } from "@langchain/core/messages";
import { saidBy } from "../../messages/said-by.js";
import { isAi, toolCalls } from "../../messages/tool-calls.js";
import { fromStoredMessage, toStoredMessage } from "../../messages/stored-message.js";
import type { Found } from "../../collect-once.js";
import { openSteps, stepsOf, wholeSteps } from "./edited-steps.js";
import { carriedIds, foldOf, foldsIn, isSummaryFold, type Fold } from "../fold.js";
import { heldFirst } from "../held.js";
import { originalsIn, undefinedIfMissing, unfold, type ReadArchive } from "../unfold.js";

/** Number of records to read for the originals, beside one for each message that may be a copy. */
const maxRecords = 200;

/**
 * Removes copies of messages that summaries or blocks cover from behind them. Returns the same list when it contains none.
 *
 * A client that sends the whole history with each turn sends what was folded as well. A reducer that merges by id finds no such
 * ids in the list any more, and appends them. A copy says what its original in the archive says; whatever else has its id, such
 * as an edited message, stays. A call and its results are removed together or not at all. The newest reply alone stays: a server
 * that repeats its answers and ids may have given it just now. All I/O goes through `read`.
 * @throws ContextError `corrupt` when an archive file does not hold the record of its fold.
 */
export async function withoutResent(
  messages: readonly BaseMessage[],
  readArchive: ReadArchive,
): Promise<readonly BaseMessage[]> {
  const found = resentBehind(messages);
  if (found === undefined) return messages;
  const { outers, rest } = found;
  const read = heldFirst(messages, readArchive);
  const unknown = rest.filter((message) => !wasKept(message, outers));
  const originals = await originalsOf(outers, { read, most: maxRecords + rest.length });
  const copies = await copiesOf(originals, unknown, read);
  const resent = new Set(resentSteps(rest, copies).flat());
  const own = resent.size === 0 ? rest : rest.filter((message) => !resent.has(message));
  const whole = wholeSteps(own, [...originals.values()].flat());
  // Should these not reach the state, the next step meets an edited message again.
  if (whole === own) noteKept(own, outers);
  return whole === rest ? messages : [...messages.slice(0, messages.length - rest.length), ...whole];
}

/**
 * Removes copies of earlier messages from behind them in a whole thread, like {@link withoutResent}. Returns the same list when it
 * contains none. All I/O goes through `read`, for the originals of stand-ins.
 */
export async function withoutRepeated(
  messages: readonly BaseMessage[],
  read: ReadArchive,
): Promise<readonly BaseMessage[]> {
  const originals = new Map<string, BaseMessage>();
  const copies = new Set<BaseMessage>();
  let isEdited = false;
  for (const message of messages) {
    if (message.id === undefined) continue;
    const original = originals.get(message.id);
    if (original === undefined) originals.set(message.id, message);
    else if (await isCopy(message, new Map([[message.id, [original]]]), read)) copies.add(message);
    else isEdited = true;
  }
  if (copies.size === 0 && !isEdited) return messages;
  const resent = new Set(resentSteps(messages, copies).flat());
  const own = resent.size === 0 ? messages : messages.filter((message) => !resent.has(message));
  return wholeSteps(own, [...originals.values()]);
}

/** Returns the steps that consist of copies; none where the newest reply is the only one. */
function resentSteps(rest: readonly BaseMessage[], copies: ReadonlySet<BaseMessage>) {
  const steps = stepsOf(rest);
  const resent = steps.filter((step) => step.every((one) => copies.has(one)));
  const isReply = resent.length === 1 && resent[0] === steps.at(-1) && resent[0]?.some(isAi);
  return isReply === true ? [] : resent;
}

/** Messages behind a stand-in that were found to be no copies: within a run a step meets the same objects again. */
const kept = new WeakMap<BaseMessage, Fold>();

/** Returns true if a message behind summaries or blocks may be a copy of one that they cover. Reads no archive. */
export function hasResent(messages: readonly BaseMessage[]): boolean {
  return resentBehind(messages) !== undefined;
}

/** Returns the outermost summaries or blocks and the messages behind them, if one of these may be a copy. */
function resentBehind(messages: readonly BaseMessage[]) {
  const standIns = foldsIn(messages).filter(({ value }) => isSummaryFold(value));
  const folds = standIns.map(({ value }) => value);
  // Hot path: a client that sends no history leaves no stand-in behind another that covers it.
  const last =
    deepestSummary(standIns) ??
    standIns.findLast(({ index }) => outerOf(messages[index], folds) === undefined);
  if (last === undefined) return undefined;
  const outers = folds.slice(0, standIns.indexOf(last) + 1);
  const rest = messages.slice(last.index + 1);
  const isNested = outers.some(
    ({ generation = 1, lastInside }) => generation > 1 || lastInside !== undefined,
  );
  // What is folded inside others, they do not name.
  const open = isNested ? openSteps(rest) : new Set<BaseMessage>();
  const mayBeNested = (message: BaseMessage, at: number) =>
    open.has(message) || (isNested && isSecondReply(message, rest[at - 1]));
  const isResent = rest.some(
    (message, at) =>
      isWhole(foldOf(message)) ||
      ((outerOf(message, outers) !== undefined || mayBeNested(message, at)) && !wasKept(message, outers)),
  );
  return isResent ? { outers, rest } : undefined;
}

/**
 * Returns true for a reply right behind another that ends its turn. A graph that runs an agent with a memory of its own sends it what
 * the agent has folded, and nothing in the outer folds may name that.
 */
function isSecondReply(message: BaseMessage, previous: BaseMessage | undefined): boolean {
  return previous !== undefined && isAi(previous) && isAi(message) && toolCalls(previous).length === 0;
}

/**
 * Returns the summary that covers the others, where one of them stands behind it: a summary covers all that were before it, the
 * older ones through those that it replaced. One that held its originals was opened, and replaced by one that covers the same.
 */
function deepestSummary(standIns: readonly Found<Fold>[]): Found<Fold> | undefined {
  const whole = standIns.filter(({ value }) => isWhole(value));
  const depth = Math.max(...whole.map(({ value }) => value.generation ?? 1));
  const deepest = whole.filter(({ value }) => (value.generation ?? 1) === depth);
  const last = deepest.at(-1);
  const covered = new Set(last?.value.covers);
  const isNewest = deepest.every(({ value }) => value.covers.every((id) => covered.has(id)));
  const found = isNewest ? last : deepest[0];
  return found === whole.at(-1) ? undefined : found;
}

/** Returns true for a fold of everything before it. */
function isWhole(fold: Fold | undefined): boolean {
  return fold?.kind === "summary" || fold?.kind === "trim";
}

function noteKept(messages: readonly BaseMessage[], outers: readonly Fold[]): void {
  for (const message of messages) {
    const outer = outerOf(message, outers) ?? outers.at(-1);
    if (outer !== undefined) kept.set(message, outer);
  }
}

function wasKept(message: BaseMessage, outers: readonly Fold[]): boolean {
  const fold = kept.get(message);
  return fold !== undefined && fold === (outerOf(message, outers) ?? outers.at(-1));
}

/** Returns the stand-in whose fold names a message. */
function outerOf(message: BaseMessage | undefined, folds: readonly Fold[]): Fold | undefined {
  const id = message?.id;
  return id === undefined ? undefined : folds.find((fold) => idsCoveredBy(fold).has(id));
}

const known = new WeakMap<Fold, ReadonlySet<string>>();

function idsCoveredBy(fold: Fold): ReadonlySet<string> {
  // A message that stays beside its stand-in and comes behind it was removed in between: the client means it anew.
  const ids = known.get(fold) ?? replacedIds(fold);
  known.set(fold, ids);
  return ids;
}

function replacedIds(fold: Fold): ReadonlySet<string> {
  const beside = new Set(carriedIds(fold));
  const ids = fold.covers.filter((id) => !beside.has(id));
  // Whoever sends what is folded inside again sends the newest of it.
  return new Set(fold.lastInside === undefined ? ids : [...ids, fold.lastInside]);
}

/** Returns the messages that say what the records of folds, or of the folds inside them, say under their ids. */
export async function copiesAmong(
  messages: readonly BaseMessage[],
  outers: readonly Fold[],
  { read, most = maxRecords }: ReadOptions,
): Promise<ReadonlySet<BaseMessage>> {
  return copiesOf(await originalsOf(outers, { read, most }), messages, read);
}

async function copiesOf(
  originals: Originals,
  messages: readonly BaseMessage[],
  read: ReadArchive,
): Promise<ReadonlySet<BaseMessage>> {
  const copies = new Set<BaseMessage>();
  for (const message of messages) if (await isCopy(message, originals, read)) copies.add(message);
  return copies;
}

interface ReadOptions {
  readonly read: ReadArchive;
  /** Maximum number of records to read. @default 200 */
  readonly most?: number;
}

/** Returns all that the records of folds, and of the folds inside them, hold under each id. */
async function originalsOf(
  outers: readonly Fold[],
  { read, most }: Required<ReadOptions>,
): Promise<Originals> {
  const originals = new Map<string, BaseMessage[]>();
  const folds = new Map(outers.map((fold) => [fold.id, fold]));
  let left = most;
  // The map grows while it is read.
  for (const fold of folds.values()) {
    if (fold.record === undefined || left-- <= 0) continue;
    const text = await read(fold.record).catch(undefinedIfMissing);
    for (const message of text === undefined ? [] : originalsIn(text, fold)) {
      const { id = "" } = message;
      const inner = foldOf(message);
      originals.set(id, [...(originals.get(id) ?? []), message]);
      if (inner !== undefined) folds.set(inner.id, inner);
    }
  }
  return originals;
}

/** Messages of an archive by their ids. */
type Originals = ReadonlyMap<string, readonly BaseMessage[]>;

/** True where a message, or all that it stands for, says what its originals say, in their short form or whole. */
async function isCopy(message: BaseMessage, originals: Originals, read: ReadArchive): Promise<boolean> {
  if (await saysOneOf(message, originals, read)) return true;
  if (foldOf(message) === undefined) return false;
  const opened = await unfold([message], read);
  for (const whole of opened) if (!(await saysOneOf(whole, originals, read))) return false;
  return opened.length > 0;
}

async function saysOneOf(message: BaseMessage, originals: Originals, read: ReadArchive): Promise<boolean> {
  const { id = "" } = message;
  // A message of a class of the host is another one when it comes from the archive.
  const own = saidBy(fromStoredMessage(toStoredMessage(message)));
  const known = originals.get(id) ?? [];
  if (known.some((original) => saidBy(original) === own)) return true;
  for (const original of known.filter(foldOf)) {
    const opened = await unfold([original], read);
    if (opened.some((whole) => whole.id === id && saidBy(whole) === own)) return true;
  }
  return false;
}
