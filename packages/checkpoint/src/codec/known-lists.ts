import { changedInPlace } from "./changed-in-place.js";
import type { KnownList } from "./changed-in-place.js";
import type { Item } from "./node.js";
import { PagedList } from "./paged-list.js";
import { contentOf, isUnchanged, stampOf } from "./stamp.js";

/** What is to be encoded as a list. */
export interface ListSource extends Entries {
  readonly whole: object;
}

interface Entries {
  readonly values: readonly unknown[];
  readonly keys?: readonly string[];
}

const perAnchor = 4;

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
    const { best, length } = this.#longest(source);
    if (best && best.values.length === length) return { known: best, itemOf: () => undefined };
    const known = best ? beginning(best, length) : knownList(emptied(source), new PagedList());
    this.remember(source, known);
    return { known, itemOf: best && !source.keys ? restOf(best, length) : () => undefined };
  }

  /** Lists of which an item is found to have changed in place since are let go. */
  #longest(source: ListSource): { readonly best: KnownList | undefined; readonly length: number } {
    const lists = this.#byAnchor.get(anchorOf(source)) ?? [];
    const candidates = lists.filter(({ growing }) => !growing);
    const same = new Map(candidates.map((known) => [known, sameLength(known, source)] as const));
    const changes = [...same].flatMap(([known, length]) => changedInPlace(known, length) ?? []);
    let best: KnownList | undefined;
    let length = 0;
    const stale = new Set<KnownList>();
    for (const [known, unlooked] of same) {
      // What one list is found to differ in is looked up in the others too: else one of before the change might be longer.
      const changed = changes.filter(
        (at) => at < unlooked && !isUnchanged(known.stamps[at], known.values[at]),
      );
      if (changed.length > 0) stale.add(known);
      const common = Math.min(unlooked, ...changed);
      if (best && common <= length) continue;
      best = known;
      length = common;
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
    this.#byAnchor.set(anchorOf(source), [list, ...others].slice(0, perAnchor));
  }
}

function emptied({ keys }: ListSource): Entries {
  return keys ? { values: [], keys: [] } : { values: [] };
}

/** Returns a list as it stands in its pages, with what its values look like now. */
export function knownList({ values, keys }: Entries, paged: PagedList): KnownList {
  return {
    values: [...values],
    stamps: values.map((value) => stampOf(value)),
    contents: values.map(contentOf),
    keys: keys && [...keys],
    paged,
    checked: 0,
    contentsChecked: 0,
    growing: false,
  };
}

function beginning({ values, stamps, contents, keys, paged }: KnownList, length: number): KnownList {
  return {
    values: values.slice(0, length),
    stamps: stamps.slice(0, length),
    contents: contents.slice(0, length),
    keys: keys?.slice(0, length),
    paged: paged.take(length),
    checked: 0,
    contentsChecked: 0,
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

/** Returns how many items the two begin with that are the same by identity. */
function sameLength(known: KnownList, { values, keys }: ListSource): number {
  if ((known.keys === undefined) !== (keys === undefined)) return 0;
  const length = Math.min(known.values.length, values.length);
  for (let index = 0; index < length; index++) {
    if (!Object.is(known.values[index], values[index]) || (keys && keys[index] !== known.keys?.[index]))
      return index;
  }
  return length;
}
