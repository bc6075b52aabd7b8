/** Depth from which a value is stored flat: functions that store and restore nested values recurse. */
const maxDepth = 200;

/** A container or any other value. Numbers are the places of the parts in the table. */
type Row =
  | { readonly list: readonly number[] }
  | { readonly fields: readonly (readonly [key: string, place: number])[] }
  | { readonly value: unknown };

/** True for a value whose lists and plain objects are nested too deep to recurse. A cycle alone is not deep. */
export function isDeep(value: unknown): boolean {
  const seen = new Set<object>();
  let level: readonly object[] = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    for (const container of level) seen.add(container);
    const next = level.flatMap((container) => Object.values(container).filter(isContainer));
    level = [...new Set(next)].filter((container) => !seen.has(container));
  }
  return false;
}

function isContainer(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns a table of the value and all that is nested in it, two levels deep. {@link fromFlat} is the inverse. Pure. */
export function toFlat(value: unknown): readonly Row[] {
  const values: unknown[] = [value];
  const places = new Map<object, number>();
  const placeOf = (part: unknown): number => {
    if (!isContainer(part)) return values.push(part) - 1;
    const place = places.get(part) ?? values.push(part) - 1;
    places.set(part, place);
    return place;
  };
  if (isContainer(value)) places.set(value, 0);
  const rows: Row[] = [];
  // The list grows while it is read.
  for (const part of values) {
    if (!isContainer(part)) rows.push({ value: part });
    else if (Array.isArray(part)) rows.push({ list: part.map(placeOf) });
    else rows.push({ fields: Object.entries(part).map(([key, item]) => [key, placeOf(item)] as const) });
  }
  return rows;
}

/** Restores a value from its table. Pure. */
export function fromFlat(rows: readonly Row[]): unknown {
  const values = rows.map((row) => ("list" in row ? [] : "fields" in row ? {} : row.value));
  for (const [place, row] of rows.entries()) {
    const value = values[place];
    if ("list" in row) (value as unknown[]).push(...row.list.map((part) => values[part]));
    if (!("fields" in row)) continue;
    for (const [key, part] of row.fields) {
      // Assigning to `__proto__` would set the prototype instead of a key.
      const property = { value: values[part], writable: true, enumerable: true, configurable: true };
      Object.defineProperty(value, key, property);
    }
  }
  return values[0];
}
