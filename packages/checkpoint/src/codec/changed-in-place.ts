import type { PagedList } from "./paged-list.js";
import { hasContent, isUnchanged } from "./stamp.js";
import type { Stamp } from "./stamp.js";

/** A list as it was last encoded. It grows in place, with the array that it encodes. */
export interface KnownList {
  readonly values: unknown[];
  readonly stamps: Stamp[];
  /** The result of `contentOf` for each value. */
  readonly contents: unknown[];
  /** The keys, when the list is the entries of a plain object. */
  readonly keys: string[] | undefined;
  readonly paged: PagedList;
  /** The index at which the next turn of complete comparisons begins. */
  nextCompared: number;
  /** The index at which the next turn of content comparisons begins. */
  nextContentCompared: number;
  /** True while items are appended: an item may contain a list that begins with the same values. */
  isGrowing: boolean;
}

/** How many of the newest items to compare completely each time. */
const newestCompared = 256;

/** How many of the older items to compare completely each time, in turn. Comparing 20,000 takes longer than the rest of a step. */
const olderCompared = 1024;

/** How many older messages to compare by the identity of their content each time, in turn. That takes a tenth of the time. */
const contentsCompared = 5000;

/** Returns the index of the first of the first `length` items that was found changed in place. Compares only some of them. */
export function changedInPlace(list: KnownList, length: number): number | undefined {
  const newest = Math.max(0, length - newestCompared);
  const content = turn(list.nextContentCompared, newest, contentsCompared);
  const older = turn(list.nextCompared, newest, olderCompared);
  // Not the end of this turn: a turn that reaches the end begins at the first item again, not at the one that was added.
  list.nextContentCompared = content.start + contentsCompared;
  list.nextCompared = older.start + olderCompared;
  const changed = [
    firstReplaced(list, content),
    firstChanged(list, older),
    firstChanged(list, { start: newest, end: length }),
  ].filter((index) => index !== undefined);
  return changed.length > 0 ? Math.min(...changed) : undefined;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the next `maxItems` items before `end`, from the first again after the last. */
function turn(next: number, end: number, maxItems: number): Span {
  const start = next < end ? next : 0;
  return { start, end: Math.min(start + maxItems, end) };
}

function firstChanged({ values, stamps }: KnownList, { start, end }: Span): number | undefined {
  for (let index = start; index < end; index++) {
    if (!isUnchanged(stamps[index], values[index])) return index;
  }
  return undefined;
}

function firstReplaced({ values, contents }: KnownList, { start, end }: Span): number | undefined {
  for (let index = start; index < end; index++) {
    if (!hasContent(values[index], contents[index])) return index;
  }
  return undefined;
}
