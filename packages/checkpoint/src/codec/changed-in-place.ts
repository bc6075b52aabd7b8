import type { PagedList } from "./paged-list.js";
import { hasContent, isUnchanged } from "./stamp.js";
import type { Stamp } from "./stamp.js";

/** A list as it was last encoded. It grows in place; only the one who appends to it holds it. */
export interface KnownList {
  readonly values: unknown[];
  readonly stamps: Stamp[];
  /** What `contentOf` gave for each value. */
  readonly contents: unknown[];
  /** The keys of the entries, when the list is a plain object. */
  readonly keys: string[] | undefined;
  readonly paged: PagedList;
  /** Up to where the older items were last looked into. */
  checked: number;
  /** Up to where the contents of the older ones were. */
  contentsChecked: number;
  /** Whether it is being appended to. An item may hold a list that begins with the same values. */
  growing: boolean;
}

/** So many of the newest items are looked into each time. */
const newestLookedInto = 256;

/** So many of the older ones are looked into in turn: looking into 20,000 would take longer than the rest of a step. */
const olderLookedInto = 1024;

/** Of so many older messages it is seen in turn whether they have the content they had, which takes a tenth of the time. */
const contentsLookedInto = 5000;

/** Returns the first of the first items, so far as they are looked at this time, that was changed in place. */
export function changedInPlace(list: KnownList, length: number): number | undefined {
  const newest = Math.max(0, length - newestLookedInto);
  const content = turn(list.contentsChecked, newest, contentsLookedInto);
  const older = turn(list.checked, newest, olderLookedInto);
  // Not where the turn ended: a list that has grown by one item would be looked at from there, one item a time.
  list.contentsChecked = content.start + contentsLookedInto;
  list.checked = older.start + olderLookedInto;
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

/** The next so many of the items before an end, from the first again when the last ones were looked at. */
function turn(checked: number, end: number, most: number): Span {
  const start = checked < end ? checked : 0;
  return { start, end: Math.min(start + most, end) };
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
