import type { Item, ListBody } from "./node.js";

/** Stores a page of a list, or the list of its pages, and returns the reference. */
export type StorePage = (kind: "p" | "l", text: string) => string;

/** The parts of a stored list. */
export interface PagedListParts {
  readonly items?: Item[];
  /** The number of items up to the end of each page. */
  readonly ends?: number[];
  readonly pages?: PagedList;
  readonly pagesReference?: string;
}

const referenceWeight = 64;
const minPageWeight = 4 * referenceWeight;
const maxPageWeight = 32 * referenceWeight;

/**
 * A list in pages. Closed pages are blobs, and their references are such a list in turn. Appending an item costs the open tail,
 * and now and then a page. The content decides where a page ends (content-defined chunking: from the fourth reference on, at
 * every second one by its bits, at the 32nd at the latest), so items after a change in the middle fall into the same pages as
 * before. Pages are short because every checkpoint contains the tail.
 */
export class PagedList {
  readonly #items: Item[];
  readonly #ends: number[];
  #weight: number;
  #pages: PagedList | undefined;
  #pagesReference: string | undefined;

  constructor({ items = [], ends = [], pages, pagesReference }: PagedListParts = {}) {
    this.#items = items;
    this.#ends = ends;
    this.#pages = pages;
    this.#pagesReference = pagesReference;
    this.#weight = this.#tail().reduce<number>((sum, item) => sum + weightOf(item), 0);
  }

  /** All items, closed pages included. */
  get items(): readonly Item[] {
    return this.#items;
  }

  push(item: Item, store: StorePage): void {
    this.#items.push(item);
    this.#weight += weightOf(item);
    if (!endsPage(item, this.#weight)) return;
    const page = store("p", JSON.stringify(this.#tail()));
    this.#ends.push(this.#items.length);
    this.#weight = 0;
    this.#pages ??= new PagedList();
    this.#pages.push(page, store);
    this.#pagesReference = undefined;
  }

  /** Returns an independent list of the first `length` items. */
  take(length: number): PagedList {
    const ends = this.#ends.filter((end) => end <= length);
    const pages = ends.length > 0 ? this.#pages?.take(ends.length) : undefined;
    return new PagedList({ items: this.#items.slice(0, length), ends, ...(pages ? { pages } : {}) });
  }

  /** Returns an independent list with other items at some indexes. Stores only the pages that contain them. */
  replaced(changes: ReadonlyMap<number, Item>, store: StorePage): PagedList {
    const items = [...this.#items];
    for (const [index, item] of changes) items[index] = item;
    const changedPages = new Map<number, Item>();
    for (const index of changes.keys()) {
      const page = pageOf(this.#ends, index);
      if (page === this.#ends.length || changedPages.has(page)) continue;
      const text = JSON.stringify(items.slice(this.#ends[page - 1] ?? 0, this.#ends[page]));
      changedPages.set(page, store("p", text));
    }
    const pages = this.#pages?.replaced(changedPages, store);
    const reference = changedPages.size === 0 ? this.#pagesReference : undefined;
    return new PagedList({
      items,
      ends: [...this.#ends],
      ...(pages ? { pages } : {}),
      ...(reference === undefined ? {} : { pagesReference: reference }),
    });
  }

  body(store: StorePage): ListBody {
    const body = { n: this.#items.length, v: this.#tail() };
    if (!this.#pages) return body;
    this.#pagesReference ??= store("l", JSON.stringify(this.#pages.body(store)));
    return { ...body, u: this.#pagesReference };
  }

  /** Returns a copy of the items of a list that is small enough to be inline, otherwise undefined. */
  inline(maxWeight: number): readonly Item[] | undefined {
    return this.#ends.length === 0 && this.#weight <= maxWeight ? [...this.#items] : undefined;
  }

  #tail(): readonly Item[] {
    return this.#items.slice(this.#ends.at(-1) ?? 0);
  }
}

/** Returns the number of the page that contains an index, given the ends of the pages; their number for the open tail. */
function pageOf(ends: readonly number[], index: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return low;
}

function weightOf(item: Item): number {
  return isReference(item) ? referenceWeight : JSON.stringify(item).length + 1;
}

function endsPage(item: Item, weight: number): boolean {
  if (weight >= maxPageWeight) return true;
  return isReference(item) && weight >= minPageWeight && item.charCodeAt(1) % 2 === 0;
}

function isReference(item: Item): item is string {
  return typeof item === "string" && !item.startsWith("=");
}
