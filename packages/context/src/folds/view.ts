import type { BaseMessage } from "@langchain/core/messages";
import { hasDerivedId, withIds } from "../messages/message-id.js";
import { newestNote } from "../messages/note.js";
import { saidDigest, spanDigest } from "./compare.js";
import { foldOf, standIn, type Fold } from "./fold.js";

/**
 * Returns the context of the last step, with the messages that the thread has gained since, joined by message id. What the host
 * has edited, inserted or removed in the thread changes in the context too: a stand-in goes if its messages have changed, and
 * they come in its place. Returns the same list if nothing has changed.
 *
 * Pure. A thread without ids gets those that its context got at the first fold.
 */
export function continueView(
  given: readonly BaseMessage[],
  context: readonly BaseMessage[],
): readonly BaseMessage[] {
  const seen = made.get(context);
  if (seen !== undefined && begins(context, seen.context) && begins(given, seen.thread))
    return joined(context, given.slice(seen.thread.length));
  const thread = withIds(given);
  const view = alignView(thread, context);
  const end = view.owners.findLastIndex((owner) => owner !== undefined) + 1;
  if (end === 0) return given;
  const list = listOf(view, thread.slice(0, end));
  const isSame = list.length === context.length && begins(list, context);
  if (isSame) made.set(context, { context: [...context], thread: given.slice(0, end) });
  return joined(isSame ? context : list, thread.slice(end));
}

/** Returns the messages of a view, each of the thread that none of them shows behind the one that shows its predecessor. */
function listOf({ owners, current }: AlignedView, thread: readonly BaseMessage[]): readonly BaseMessage[] {
  const shown: BaseMessage[][] = [[], ...current.map((message) => (message === undefined ? [] : [message]))];
  let place = 0;
  for (const [at, message] of thread.entries()) {
    const owner = owners[at];
    if (owner === undefined) shown[place]?.push(message);
    else place = owner + 1;
  }
  return shown.flat();
}

/**
 * Returns the context in which each stand-in remembers what the thread says in its place, so that {@link continueView} notices
 * when that changes. Pure.
 */
export function markView(
  context: readonly BaseMessage[],
  given: readonly BaseMessage[],
): readonly BaseMessage[] {
  const thread = withIds(given);
  const places = placesOf(thread);
  // Steps have names of their own, so neighbours of a selection share one span, and a new selection has new neighbours.
  const { owners } = alignView(
    thread,
    context.map((message) => (isSelected(foldOf(message)) ? withSpan(message, undefined) : message)),
  );
  let before: Fold["span"];
  const marked = context.map((message, at) => {
    const fold = foldOf(message);
    if (fold === undefined) return message;
    const own = owners.flatMap((owner, place) => (owner === at ? [place] : []));
    // The text of a summary may also quote the messages that stay beside it.
    if (own.length > 0) own.push(...fold.covers.flatMap((id) => places.get(id) ?? []));
    const known = isSelected(fold) ? undefined : fold.span;
    const span = known ?? spanOf(thread, own) ?? before;
    before = rangeFold(message) === undefined ? undefined : span;
    return withSpan(message, span);
  });
  made.set(marked, { context: [...marked], thread: [...given] });
  return marked;
}

function isSelected(fold: Fold | undefined): boolean {
  return fold?.kind === "chunk";
}

/** Returns a stand-in with a span, or without one; the same object if it has this one. */
function withSpan(message: BaseMessage, span: Fold["span"]): BaseMessage {
  const fold = foldOf(message);
  if (fold === undefined || JSON.stringify(fold.span) === JSON.stringify(span)) return message;
  const { span: _, ...bare } = fold;
  return standIn(message, span === undefined ? bare : { ...bare, span }, {});
}

/** Returns the span of a thread from the first to the last of some places; undefined without any. */
function spanOf(thread: readonly BaseMessage[], places: readonly number[]): Fold["span"] {
  const slice = places.length === 0 ? [] : thread.slice(Math.min(...places), Math.max(...places) + 1);
  const [first, last] = [slice[0]?.id, slice.at(-1)?.id];
  return first === undefined || last === undefined ? undefined : { first, last, digest: spanDigest(slice) };
}

function placesOf(thread: readonly BaseMessage[]): ReadonlyMap<string | undefined, number> {
  return new Map(thread.map(({ id }, at) => [id, at]));
}

/** The thread that a context was made from, as both were: within a run a step meets the same lists and messages again. */
const made = new WeakMap<
  readonly BaseMessage[],
  { readonly context: readonly BaseMessage[]; readonly thread: readonly BaseMessage[] }
>();

function begins(list: readonly BaseMessage[], beginning: readonly BaseMessage[]): boolean {
  return beginning.length <= list.length && beginning.every((message, at) => message === list[at]);
}

function joined(list: readonly BaseMessage[], gained: readonly BaseMessage[]): readonly BaseMessage[] {
  return gained.length === 0 ? list : [...list, ...gained];
}

interface AlignedView {
  /** For each message of the thread, the index of the message of the context that shows it or stands for it. */
  readonly owners: readonly (number | undefined)[];
  /** The messages of the context as they are now; undefined for one that goes. */
  readonly current: readonly (BaseMessage | undefined)[];
}

function alignView(thread: readonly BaseMessage[], context: readonly BaseMessage[]): AlignedView {
  const places = placesOf(thread);
  const owners: (number | undefined)[] = thread.map(() => undefined);
  const current = context.map((message, at) => {
    const place = places.get(message.id);
    if (place === undefined) return undefined;
    owners[place] = at;
    return currentForm(message, thread[place] as BaseMessage);
  });
  for (const [at, message] of context.entries()) {
    const fold = rangeFold(message);
    if (fold === undefined) continue;
    const next = owners.findIndex((owner) => owner !== undefined && owner > at);
    const range = rangeOf(fold, { thread, places, next });
    current[at] = range === undefined ? undefined : message;
    for (const [place, owner] of owners.entries()) {
      if (range === undefined) owners[place] = owner === at ? undefined : owner;
      else if (owner === undefined && isWithin(place, range)) owners[place] = at;
    }
  }
  return { owners, current };
}

interface RangeOptions {
  readonly thread: readonly BaseMessage[];
  readonly places: ReadonlyMap<string | undefined, number>;
  /** Place of the first message that the context shows behind the stand-in, or -1. */
  readonly next: number;
}

type Range = readonly [from: number, end: number];

/** Returns the places in which a stand-in may stand for messages; undefined if these say something else than they did. */
function rangeOf({ span, newest }: Fold, { thread, places, next }: RangeOptions): Range | undefined {
  if (span === undefined) return [0, next >= 0 ? next : 1 + (places.get(newest) ?? thread.length)];
  const from = places.get(span.first);
  const last = places.get(span.last);
  if (from === undefined || last === undefined) return undefined;
  return span.digest === spanDigest(thread.slice(from, last + 1)) ? [from, last + 1] : undefined;
}

function isWithin(place: number, [from, end]: Range): boolean {
  return place >= from && place < end;
}

/** Returns the fold of a stand-in that stands for other messages than its own. */
function rangeFold(message: BaseMessage): Fold | undefined {
  const fold = foldOf(message);
  return fold?.covers.length === 1 && fold.covers[0] === message.id ? undefined : fold;
}

/** Returns a message of the context as it is now: as the thread has it if that has changed. */
function currentForm(message: BaseMessage, now: BaseMessage): BaseMessage {
  const fold = foldOf(message);
  if (fold !== undefined) {
    const isRange = rangeFold(message) !== undefined;
    return isRange || fold.span === undefined || fold.span.digest === spanDigest([now]) ? message : now;
  }
  // An id that is derived from the content says that the content is the same.
  if (hasDerivedId(message)) return message;
  return newestNote([message]) !== undefined && saidDigest(message) === saidDigest(now) ? message : now;
}
