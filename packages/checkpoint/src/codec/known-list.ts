import type { PagedList } from "./paged-list.js";
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
