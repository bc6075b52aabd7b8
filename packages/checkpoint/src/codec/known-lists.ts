import type { Item } from "./node.js";
import { PagedList } from "./paged-list.js";
import { isUnchanged } from "./stamp.js";
import type { Stamp } from "./stamp.js";

/** A list as it was last encoded. It grows in place; only the one who appends to it holds it. */
export interface KnownList {
  readonly values: unknown[];
  readonly stamps: Stamp[];
  /** The keys of the entries, when the list is a plain object. */
  readonly keys: string[] | undefined;
  readonly paged: PagedList;
  /** Up to where the older items were last looked into. */
  checked: number;
  /** Whether it is being appended to. An item may hold a list that begins with the same values. */
  growing: boolean;
}

/** What is to be encoded as a list. */
export interface ListSource {
  readonly whole: object;
  readonly values: readonly unknown[];
  readonly keys?: readonly string[];
}

const perAnchor = 4;

/**
 * Items are compared by identity, all of them. Whether one was changed in place is looked into for this many of the newest
 * each time, and for as many of the older ones in turn: looking into 20,000 would take longer than the rest of a step.
 */
const lookedInto = 1024;

/** The lists encoded before, found by their first item, so that the host's copies of an array count as one. Held weakly. */
export class KnownLists {
  readonly #byAnchor = new WeakMap<object, KnownList[]>();

  /**
   * Returns a list that holds the longest known beginning of the source, and nothing else. `itemOf` gives the items of what
   * stood behind it before, as where one message in the middle was replaced.
   */
  beginningOf(source: ListSource): {
    readonly known: KnownList;
    readonly itemOf: (value: unknown) => Item | undefined;
  } {
    const candidates = this.#byAnchor.get(anchorOf(source)) ?? [];
    let best: KnownList | undefined;
    let length = 0;
    for (const candidate of candidates) {
      if (candidate.growing) continue;
      const common = commonLength(candidate, source);
      if (best && common <= length) continue;
      best = candidate;
      length = common;
    }
    if (best && best.values.length === length) return { known: best, itemOf: () => undefined };
    const known = best ? beginning(best, length) : emptyList(source);
    this.remember(source, known);
    return { known, itemOf: best && !source.keys ? restOf(best, length) : () => undefined };
  }

  remember(source: ListSource, list: KnownList): void {
    const others = this.#byAnchor.get(anchorOf(source)) ?? [];
    this.#byAnchor.set(anchorOf(source), [list, ...others].slice(0, perAnchor));
  }
}

function emptyList({ keys }: ListSource): KnownList {
  return {
    values: [],
    stamps: [],
    keys: keys ? [] : undefined,
    paged: new PagedList(),
    checked: 0,
    growing: false,
  };
}

function beginning({ values, stamps, keys, paged }: KnownList, length: number): KnownList {
  return {
    values: values.slice(0, length),
    stamps: stamps.slice(0, length),
    keys: keys?.slice(0, length),
    paged: paged.take(length),
    checked: 0,
    growing: false,
  };
}

function anchorOf({ whole, values }: ListSource): object {
  const first = values[0];
  return typeof first === "object" && first !== null ? first : whole;
}

/** Looks up values behind the beginning; the index is made when the first is asked for. */
function restOf({ values, stamps, paged }: KnownList, length: number): (value: unknown) => Item | undefined {
  let positions: Map<unknown, number> | undefined;
  return (value) => {
    if (typeof value !== "object" || value === null) return undefined;
    positions ??= new Map(values.slice(length).map((known, index) => [known, length + index]));
    const position = positions.get(value);
    return position !== undefined && isUnchanged(stamps[position], value) ? paged.items[position] : undefined;
  };
}

function commonLength(known: KnownList, { values, keys }: ListSource): number {
  if ((known.keys === undefined) !== (keys === undefined)) return 0;
  let length = Math.min(known.values.length, values.length);
  for (let index = 0; index < length; index++) {
    if (!Object.is(known.values[index], values[index]) || (keys && keys[index] !== known.keys?.[index]))
      length = index;
  }
  const newest = Math.max(0, length - lookedInto);
  const older = known.checked < newest ? known.checked : 0;
  known.checked = older + lookedInto;
  const changed =
    firstChanged(known, older, Math.min(older + lookedInto, newest)) ?? firstChanged(known, newest, length);
  return changed ?? length;
}

function firstChanged({ values, stamps }: KnownList, start: number, end: number): number | undefined {
  for (let index = start; index < end; index++) {
    if (!isUnchanged(stamps[index], values[index])) return index;
  }
  return undefined;
}
