import { pageSize } from "./step-archive.js";

/** A page of the archive: `size` steps from `first` on, a power of {@link pageSize}. */
export interface StepPage {
  readonly first: number;
  readonly size: number;
}

/** A page with what is told of it. */
export interface ToldPage extends StepPage {
  readonly text: string;
}

interface ToldPagesOptions {
  /** Steps from this one on. */
  readonly from: number;
  /** To before this one. */
  readonly to: number;
  /** Returns what is told of a page; undefined where nothing is written yet. */
  readonly textOf: (page: StepPage) => string | undefined;
  /** Characters that all texts together may take. */
  readonly limit: number;
}

/**
 * Returns the fewest whole pages that lie between two steps: about 15 of each size, so that their number grows with the
 * logarithm of the steps. Steps of no whole page are in none. Pure.
 */
export function pagesBetween(from: number, to: number): readonly StepPage[] {
  const pages: StepPage[] = [];
  for (let first = from + ((pageSize - (from % pageSize)) % pageSize); first + pageSize <= to;) {
    let size = pageSize;
    while (first % (size * pageSize) === 0 && first + size * pageSize <= to) size *= pageSize;
    pages.push({ first, size });
    first += size;
  }
  return pages;
}

/** Returns the pages that a page is made of; none for one of steps. Pure. */
export function partsOfPage({ first, size }: StepPage): readonly StepPage[] {
  const part = size / pageSize;
  if (part < pageSize) return [];
  return Array.from({ length: pageSize }, (_, nth) => ({ first: first + nth * part, size: part }));
}

/**
 * Returns the pages that are told between two steps, each step at most once, within `limit`: the largest first where not all
 * fit, then the newest. A page without a text is told by its parts. In order. Pure.
 */
export function toldPages({ from, to, textOf, limit }: ToldPagesOptions): readonly ToldPage[] {
  const tell = (page: StepPage): readonly ToldPage[] => {
    const text = textOf(page);
    return text === undefined ? partsOfPage(page).flatMap(tell) : [{ ...page, text }];
  };
  const told = pagesBetween(from, to).flatMap(tell);
  let left = limit;
  const fitting = told
    .toSorted((a, b) => b.size - a.size || b.first - a.first)
    .filter(({ text }) => {
      if (text.length > left) return false;
      left -= text.length;
      return true;
    });
  return fitting.sort((a, b) => a.first - b.first);
}
