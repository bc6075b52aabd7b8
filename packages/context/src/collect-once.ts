import type { BaseMessage } from "@langchain/core/messages";

/** A result for a message of a list. */
export interface Found<T> {
  readonly index: number;
  readonly value: T;
}

/** Messages; a shorter list is read again each time. */
const minKnown = 32;

/**
 * Returns a function that collects the results of `find` for the messages of a list, in order, without undefined.
 *
 * Reads a list only from where it differs from the list before it, so that a step costs only what it adds. `find` must be pure.
 * Like a token count, the result of a message that the host changes in place is not updated. The cache lives as long as the
 * first message of the list.
 */
export function collectOnce<T>(
  find: (message: BaseMessage) => T | undefined,
): (messages: readonly BaseMessage[]) => readonly Found<T>[] {
  const known = new KnownLists<readonly Found<T>[]>();
  function collect(messages: readonly BaseMessage[], start: number, found: Found<T>[]): readonly Found<T>[] {
    for (let index = start; index < messages.length; index++) {
      const value = find(messages[index] as BaseMessage);
      if (value !== undefined) found.push({ index, value });
    }
    return found;
  }
  return (messages) => {
    if (messages.length < minKnown) return collect(messages, 0, []);
    const { shared, result = [], isWhole } = known.get(messages);
    if (isWhole) return result;
    const end = result.findIndex(({ index }) => index >= shared);
    const found = collect(messages, shared, end < 0 ? [...result] : result.slice(0, end));
    known.set(messages, shared, found);
    return found;
  };
}

/** Returns a function that adds up `valueOf` over the messages of a list, like {@link sumsOnce}. */
export function sumOnce(
  valueOf: (message: BaseMessage) => number,
): (messages: readonly BaseMessage[]) => number {
  const sumsOf = sumsOnce(valueOf);
  return (messages) =>
    messages.length < minKnown
      ? messages.reduce((sum, message) => sum + valueOf(message), 0)
      : (sumsOf(messages)[messages.length - 1] ?? 0);
}

/**
 * Returns a function that adds up `valueOf` over the first messages of a list: one, two, and so on, perhaps up to more than the
 * list has. Of a list that continues the one before it, reads only the new messages.
 */
export function sumsOnce(
  valueOf: (message: BaseMessage) => number,
): (messages: readonly BaseMessage[]) => readonly number[] {
  const known = new KnownLists<readonly number[]>();
  function extend(sums: number[], messages: readonly BaseMessage[]): readonly number[] {
    let sum = sums.at(-1) ?? 0;
    for (let index = sums.length; index < messages.length; index++) {
      const message = messages[index];
      if (message !== undefined) sum += valueOf(message);
      sums.push(sum);
    }
    return sums;
  }
  return (messages) => {
    if (messages.length < minKnown) return extend([], messages);
    const { shared, result = [] } = known.get(messages);
    if (shared === messages.length) return result;
    const sums = extend(result.slice(0, shared), messages);
    known.set(messages, shared, sums);
    return sums;
  };
}

/**
 * Returns a function that says whether every message of a list has a value and all values are distinct. Of a list that
 * continues the one before it, reads only the new messages.
 */
export function distinctOnce(
  valueOf: (message: BaseMessage) => string | undefined,
): (messages: readonly BaseMessage[]) => boolean {
  /** The values of lists in which all are distinct. */
  const known = new KnownLists<Set<string>>();
  function valuesFrom(messages: readonly BaseMessage[], start: number): Set<string> {
    const values = new Set<string>();
    for (let index = start; index < messages.length; index++) {
      const message = messages[index];
      const value = message && valueOf(message);
      if (value !== undefined) values.add(value);
    }
    return values;
  }
  return (messages) => {
    if (messages.length < minKnown) return valuesFrom(messages, 0).size === messages.length;
    const { shared, result } = known.get(messages);
    const values = result?.size === shared ? result : new Set<string>();
    const added = valuesFrom(messages, values.size);
    if (values.size + added.size !== messages.length) return false;
    for (const value of added) if (values.has(value)) return false;
    for (const value of added) values.add(value);
    known.set(messages, shared, values);
    return true;
  };
}

/** A copy of the newest list with each first message, because hosts change lists in place. All caches share it. */
const copies = new WeakMap<BaseMessage, BaseMessage[]>();

/** The first `length` messages of a copy, and the result for them. */
interface KnownList<Result> {
  readonly copy: readonly BaseMessage[];
  readonly length: number;
  readonly result: Result;
}

/** Cache of the last list with each first message, and its result. */
class KnownLists<Result> {
  readonly #lists = new WeakMap<BaseMessage, KnownList<Result>>();

  /** Returns the length of the prefix that the list shares with the cached one, and the cached result. */
  get(messages: readonly BaseMessage[]) {
    const known = messages[0] && this.#lists.get(messages[0]);
    if (known === undefined) return { shared: 0, result: undefined, isWhole: false };
    const { copy, length, result } = known;
    const shared = sharedLength(copy, messages, { from: 0, to: length });
    return { shared, result, isWhole: shared === length && shared === messages.length };
  }

  /** Keeps the result of a list of which the first messages are `shared`. */
  set(messages: readonly BaseMessage[], shared: number, result: Result): void {
    const [first] = messages;
    if (typeof first !== "object" || first === null) return;
    const newest = copies.get(first);
    const from = this.#lists.get(first)?.copy === newest ? shared : 0;
    const copy = newest === undefined ? [...messages] : continued(newest, messages, from);
    copies.set(first, copy);
    this.#lists.set(first, { copy, length: messages.length, result });
  }
}

/** Returns the copy, with the messages behind it, if it begins as the list does from `from` on; else another copy. */
function continued(copy: BaseMessage[], messages: readonly BaseMessage[], from: number): BaseMessage[] {
  const length = Math.min(copy.length, messages.length);
  if (sharedLength(copy, messages, { from, to: length }) < length) return [...messages];
  // The list of a thread that goes on is not copied at each step.
  for (let index = length; index < messages.length; index++) copy.push(messages[index] as BaseMessage);
  return copy;
}

/** Returns how many of the first messages two lists share, of which they share the first `from`, at most `to`. */
function sharedLength(
  one: readonly BaseMessage[],
  other: readonly BaseMessage[],
  { from, to }: { readonly from: number; readonly to: number },
): number {
  const end = Math.min(to, other.length);
  let shared = from;
  while (shared < end && one[shared] === other[shared]) shared++;
  return shared;
}
