import type { BaseMessage } from "@langchain/core/messages";

/** The messages of the state, before and after our changes. */
interface Changed {
  readonly before: readonly BaseMessage[];
  readonly after: readonly BaseMessage[];
}

/**
 * Returns what a call is sent once the state's messages have changed. Other middleware may have made a view of them: left some
 * out, changed some, or added its own. What it made of a message stays unless the message itself has changed. Pure.
 */
export function viewOfCall(view: readonly BaseMessage[], { before, after }: Changed): readonly BaseMessage[] {
  if (before === after) return view;
  if (view === before || isSameList(view, before)) return after;
  const earlier = new Map(before.map((message) => [keyOf(message), message]));
  const current = new Set(after.map(keyOf));
  const places = new Map(view.map((message, index) => [keyOf(message), index]));
  const result: BaseMessage[] = [];
  let next = 0;
  for (const message of after) {
    const own = earlier.get(keyOf(message));
    const place = places.get(keyOf(message));
    if (own !== undefined && place === undefined) continue;
    if (place !== undefined) addOthers(place);
    result.push(place !== undefined && own === message ? (view[place] as BaseMessage) : message);
    next = Math.max(next, (place ?? -1) + 1);
  }
  addOthers(view.length);
  return result;

  /** Adds the messages of other middleware before an index of the view. */
  function addOthers(end: number): void {
    for (; next < end; next++) {
      const message = view[next] as BaseMessage;
      if (!earlier.has(keyOf(message)) && !current.has(keyOf(message))) result.push(message);
    }
  }
}

function keyOf(message: BaseMessage): unknown {
  return message.id ?? message;
}

/** Returns true for lists of the same messages, by identity. Pure. */
export function isSameList(one: readonly BaseMessage[], other: readonly BaseMessage[]): boolean {
  return one.length === other.length && one.every((message, index) => message === other[index]);
}
