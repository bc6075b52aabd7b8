import type { Difference } from "../view.js";

/** A named value to compare: `whole` is equal (`===`) if nothing changed, `text` is shown. */
export type Compared = ReadonlyMap<string, { readonly whole: string | number; readonly text: string }>;

/** Returns what was removed, added and changed. Pure. */
export function differences(
  before: Compared,
  after: Compared,
  what: Difference["what"],
): readonly Difference[] {
  const removed = [...before].filter(([name]) => !after.has(name));
  const kept = [...after].filter(([name, { whole }]) => before.get(name)?.whole !== whole);
  return [
    ...removed.map(([name, { text }]) => ({ change: "removed" as const, what, name, text })),
    ...kept.map(([name, { text }]) => ({
      change: before.has(name) ? ("changed" as const) : ("added" as const),
      what,
      name,
      text,
    })),
  ];
}
