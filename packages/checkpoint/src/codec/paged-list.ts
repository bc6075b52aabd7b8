import type { Item, ListBody } from "./node.js";

/** Stores a blob that a list consists of and returns the reference to it. */
export type StorePage = (kind: "p" | "l", text: string) => string;

/** A list as it was stored. */
export interface PagedListParts {
  readonly items?: Item[];
  /** How many items there are up to the end of each page. */
  readonly ends?: number[];
  readonly pages?: PagedList;
  readonly pagesReference?: string;
}

const referenceWeight = 64;
const minPageWeight = 4 * referenceWeight;
const maxPageWeight = 32 * referenceWeight;

/**
 * A list in pages, level by level: full pages are blobs, and the list of their references is such a list itself. Appending
 * costs the open tail, and one page in a while. Pages end where the content says so (from the fourth reference on at every
 * second one, by its bits, at 32 at the latest), so that what follows a change in the middle falls into the same pages
 * again. They are short because the tail stands in every checkpoint.
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

  /** Returns a list of the first `length` items that shares nothing with this one. */
  take(length: number): PagedList {
    const ends = this.#ends.filter((end) => end <= length);
    const pages = ends.length > 0 ? this.#pages?.take(ends.length) : undefined;
    return new PagedList({ items: this.#items.slice(0, length), ends, ...(pages ? { pages } : {}) });
  }

  body(store: StorePage): ListBody {
    const body = { n: this.#items.length, v: this.#tail() };
    if (!this.#pages) return body;
    this.#pagesReference ??= store("l", JSON.stringify(this.#pages.body(store)));
    return { ...body, u: this.#pagesReference };
  }

  /** A copy of the items, while they are small enough to stand where the list does. */
  inline(maxWeight: number): readonly Item[] | undefined {
    return this.#ends.length === 0 && this.#weight <= maxWeight ? [...this.#items] : undefined;
  }

  #tail(): readonly Item[] {
    return this.#items.slice(this.#ends.at(-1) ?? 0);
  }
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
