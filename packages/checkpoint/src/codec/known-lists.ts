import { changedInPlace } from "./changed-in-place.js";
import type { KnownList } from "./changed-in-place.js";
import type { Item } from "./node.js";
import { PagedList } from "./paged-list.js";
import { contentOf, isUnchanged, stampOf } from "./stamp.js";

/** An array, or a plain object, to encode as a list. */
export interface ListSource extends Entries {
  readonly whole: object;
}

interface Entries {
  readonly values: readonly unknown[];
  readonly keys?: readonly string[];
}

/** The most values of a record that are replaced one by one. */
const maxReplaced = 256;

/** How many lists with the same first item to remember, such as the branches of a fork. */
const maxPerAnchor = 4;

/** Remembers encoded lists weakly, by their first item: LangGraph passes a new copy of the same array on each step. */
export class KnownLists {
  readonly #byAnchor = new WeakMap<object, KnownList[]>();

  /**
   * Returns the encoded list that is the longest known prefix of the source. `itemOf` returns the encoded items of values that
   * followed that prefix before: when one message in the middle was replaced, the others are not encoded again.
   */
  prefixOf(source: ListSource): {
    readonly known: KnownList;
    readonly itemOf: (value: unknown) => Item | undefined;
  } {
    const { best, length } = this.#longest(source);
    if (best && best.values.length === length) return { known: best, itemOf: () => undefined };
    const known = best ? prefix(best, length) : knownList(emptied(source), new PagedList());
    this.remember(source, known);
    return { known, itemOf: best && !source.keys ? restOf(best, length) : () => undefined };
  }

  /**
   * Returns a record whose keys the source has in the same order, possibly followed by others, and the indexes of the few
   * values that differ. Undefined when there is none, or when a value of it was changed in place.
   */
  recordLike({ keys, ...source }: ListSource): Replaceable | undefined {
    if (!keys) return undefined;
    for (const known of this.#byAnchor.get(anchorOf(source)) ?? []) {
      if (known.isGrowing || !isPrefix(known.keys, keys)) continue;
      const changed = differences(known.values, source.values);
      if (changed && changedInPlace(known, known.values.length) === undefined) return { known, changed };
    }
    return undefined;
  }

  /** Forgets lists with an item that was changed in place. */
  #longest(source: ListSource): { readonly best: KnownList | undefined; readonly length: number } {
    const lists = this.#byAnchor.get(anchorOf(source)) ?? [];
    const candidates = lists.filter(({ isGrowing }) => !isGrowing);
    const same = new Map(candidates.map((known) => [known, sameLength(known, source)] as const));
    const changes = [...same].flatMap(([known, length]) => changedInPlace(known, length) ?? []);
    let best: KnownList | undefined;
    let length = 0;
    const stale = new Set<KnownList>();
    for (const [known, common] of same) {
      // Check the changed positions in every list: otherwise a list from before the change could be the longest.
      const changed = changes.filter((at) => at < common && !isUnchanged(known.stamps[at], known.values[at]));
      if (changed.length > 0) stale.add(known);
      const unchanged = Math.min(common, ...changed);
      if (best && unchanged <= length) continue;
      best = known;
      length = unchanged;
    }
    if (stale.size > 0)
      this.#byAnchor.set(
        anchorOf(source),
        lists.filter((known) => !stale.has(known)),
      );
    return { best, length };
  }

  remember(source: ListSource, list: KnownList): void {
    const others = this.#byAnchor.get(anchorOf(source)) ?? [];
    this.#byAnchor.set(anchorOf(source), [list, ...others].slice(0, maxPerAnchor));
  }
}

/** A record, and the indexes of its values that a newer one replaces. */
export interface Replaceable {
  readonly known: KnownList;
  readonly changed: readonly number[];
}

function isPrefix(known: readonly string[] | undefined, keys: readonly string[]): boolean {
  return (
    known !== undefined && known.length <= keys.length && known.every((key, index) => key === keys[index])
  );
}

/** Returns the indexes at which the other values differ by identity; undefined for too many. */
function differences(values: readonly unknown[], others: readonly unknown[]): number[] | undefined {
  const found: number[] = [];
  for (let index = 0; index < values.length; index++) {
    if (Object.is(values[index], others[index])) continue;
    if (found.length === maxReplaced) return undefined;
    found.push(index);
  }
  return found;
}

/** Returns the record with the values of the source at some indexes, and these pages. Shares nothing that grows. */
export function replacedRecord(
  { known, changed }: Replaceable,
  { values }: ListSource,
  paged: PagedList,
): KnownList {
  const list = { ...prefix(known, known.values.length), paged };
  for (const index of changed) {
    list.values[index] = values[index];
    list.stamps[index] = stampOf(values[index]);
    list.contents[index] = contentOf(values[index]);
  }
  return list;
}

function emptied({ keys }: ListSource): Entries {
  return keys ? { values: [], keys: [] } : { values: [] };
}

/** Returns the record of a list with these pages, stamped with the present state of its values. */
export function knownList({ values, keys }: Entries, paged: PagedList): KnownList {
  return {
    values: [...values],
    stamps: values.map((value) => stampOf(value)),
    contents: values.map(contentOf),
    keys: keys && [...keys],
    paged,
    nextCompared: 0,
    nextContentCompared: 0,
    isGrowing: false,
  };
}

function prefix({ values, stamps, contents, keys, paged }: KnownList, length: number): KnownList {
  return {
    values: values.slice(0, length),
    stamps: stamps.slice(0, length),
    contents: contents.slice(0, length),
    keys: keys?.slice(0, length),
    paged: paged.take(length),
    nextCompared: 0,
    nextContentCompared: 0,
    isGrowing: false,
  };
}

function anchorOf({ whole, values }: ListSource): object {
  const first = values[0];
  return typeof first === "object" && first !== null ? first : whole;
}

/** Returns a lookup of the items after the prefix. Builds its index on the first call. */
function restOf({ values, stamps, paged }: KnownList, length: number): (value: unknown) => Item | undefined {
  let positions: Map<unknown, number> | undefined;
  return (value) => {
    if (typeof value !== "object" || value === null) return undefined;
    positions ??= new Map(values.slice(length).map((known, index) => [known, length + index]));
    const position = positions.get(value);
    return position !== undefined && isUnchanged(stamps[position], value) ? paged.items[position] : undefined;
  };
}

/** Returns the length of the common prefix, comparing values by identity. */
function sameLength(known: KnownList, { values, keys }: ListSource): number {
  if ((known.keys === undefined) !== (keys === undefined)) return 0;
  const length = Math.min(known.values.length, values.length);
  for (let index = 0; index < length; index++) {
    if (!Object.is(known.values[index], values[index]) || (keys && keys[index] !== known.keys?.[index]))
      return index;
  }
  return length;
}
