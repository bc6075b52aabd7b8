import { entriesOf, isJsonLeaf, jsonText } from "./json-text.js";

/** Depth to which readers follow a value. They recurse, and a deeper value would exhaust the stack. */
export const maxDepth = 64;

/** True for a value that JSON can show and that a reader can follow. Never throws. */
export function isSoundValue(value: unknown): boolean {
  if (typeof value === "string") return true;
  try {
    return isFlat(value) || isSound(value, 0, new Map());
  } catch {
    return false;
  }
}

/** True for an object of strings, numbers and the like, as the arguments of most calls are. */
export function isFlat(value: unknown): boolean {
  if (typeof value !== "object" || value === null || "toJSON" in value) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key in fields) {
    const kind = typeof fields[key];
    if (kind !== "string" && kind !== "number" && kind !== "boolean") return false;
  }
  return true;
}

/** `checked` holds true for a container that is done, and false for one around the value: a reference to it is a cycle. */
function isSound(value: unknown, depth: number, checked: Map<object, boolean>): boolean {
  if (typeof value !== "object" || value === null) return !unshown.has(typeof value);
  if (isJsonLeaf(value)) return true;
  const known = checked.get(value);
  if (known !== undefined) return known;
  if (depth >= maxDepth || typeof (value as { toJSON?: unknown }).toJSON === "function") return false;
  checked.set(value, false);
  for (const item of Array.isArray(value) ? (value as readonly unknown[]) : Object.values(value))
    if (!isSound(item, depth + 1, checked)) return false;
  checked.set(value, true);
  return true;
}

const unshown: ReadonlySet<string> = new Set(["bigint", "function", "symbol"]);

/**
 * Returns a value that {@link isSoundValue} accepts, with the text of everything that a reader could not follow: what is too
 * deep, refers to a container around it, or is no JSON. Never throws.
 */
export function soundValue(value: unknown, depth = 0, copies = new Map<object, unknown>()): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return unshown.has(typeof value) ? undefined : value;
  if (isJsonLeaf(value)) return value;
  if (copies.has(value)) return copies.get(value);
  if (depth >= maxDepth) return jsonText(value);
  copies.set(value, "[circular]");
  const items = entriesOf(value).map(([key, item]) => [key, soundValue(item, depth + 1, copies)] as const);
  const copy = Array.isArray(value) ? items.map(([, item]) => item) : Object.fromEntries(items);
  copies.set(value, copy);
  return copy;
}
