import type { MountTable, Mount, Route } from "./mount-table.js";

/** What one part of the tree is to be searched for. */
export interface SearchPart extends Route {
  /** True for the part that holds the path searched; false for a mount below it. */
  readonly primary: boolean;
}

/** Returns the parts of the tree at and below a normal path: the backend that holds it, and the mounts below. Pure. */
export function searchParts(table: MountTable, path: string): SearchPart[] {
  const below = table.below(path).map((mount: Mount) => ({ mount, inner: "/", primary: false }));
  return [{ ...table.route(path), primary: true }, ...below];
}

/** Returns true for an error that only says a path is empty: above a mount that is no failure. Pure. */
export function isAbsence(error: string): boolean {
  return /does not exist|not found|no such file/i.test(error);
}
