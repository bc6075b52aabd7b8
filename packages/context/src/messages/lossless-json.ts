import { SuperJSON, type SuperJSONResult } from "superjson";
import { fromBase64, toBase64 } from "./base64.js";
import { fromFlat, isDeep, toFlat } from "./flat-json.js";

const superJson = new SuperJSON();

// superjson supports only some typed arrays, and its form of a Buffer does not round-trip.
superJson.registerCustom<ArrayBuffer | ArrayBufferView, string>(
  {
    isApplicable: (value): value is ArrayBuffer | ArrayBufferView =>
      value instanceof ArrayBuffer || ArrayBuffer.isView(value),
    serialize(value) {
      const bytes = ArrayBuffer.isView(value)
        ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
        : new Uint8Array(value);
      return `${value.constructor.name} ${toBase64(bytes)}`;
    },
    deserialize(text) {
      const [name = "", base64 = ""] = text.split(" ");
      const { buffer } = fromBase64(base64);
      // A browser has no Buffer.
      if (name === "Buffer") return globalThis.Buffer?.from(buffer) ?? new Uint8Array(buffer);
      const View = views.get(name);
      return View === undefined ? buffer : new View(buffer);
    },
  },
  "bytes",
);

const views = new Map<string, new (buffer: ArrayBuffer) => ArrayBufferView>(
  [
    DataView,
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
  ].map((View) => [View.name, View]),
);

/** A value as JSON. A `flat` one is a table, because it is nested too deep. */
export interface LosslessJson {
  readonly json: SuperJSONResult["json"];
  readonly meta?: SuperJSONResult["meta"] | FlatMeta;
}

interface FlatMeta {
  readonly flat: true;
  readonly meta?: LosslessJson["meta"];
}

/**
 * Converts a value to JSON. `meta` describes what JSON cannot represent: undefined, dates, maps, sets, bigints,
 * bytes, NaN, shared and cyclic references, and any depth.
 *
 * Pure. Serializes instances of other classes like `JSON.stringify`. Does not copy a value that is plain JSON.
 */
export function toLosslessJson(value: unknown): LosslessJson {
  if (isPlain(value, new Set())) return { json: value as SuperJSONResult["json"] };
  if (isDeep(value)) {
    const { json, meta } = toLosslessJson(toFlat(value));
    return { json, meta: { flat: true, ...(meta === undefined ? {} : { meta }) } };
  }
  return superJson.serialize(renameKeys(value, escapeKey, new Map()));
}

/** Restores a value from the result of {@link toLosslessJson}. */
export function fromLosslessJson({ json, meta }: LosslessJson): unknown {
  if (meta !== undefined && "flat" in meta) {
    const rows = fromLosslessJson(meta.meta === undefined ? { json } : { json, meta: meta.meta });
    return fromFlat(rows as Parameters<typeof fromFlat>[0]);
  }
  const value: unknown = meta === undefined ? json : superJson.deserialize({ json, meta });
  return renameKeys(value, unescapeKey, new Map());
}

/** Keys that superjson refuses, and keys that look like an escaped one. */
const reserved = /^~*(?:__proto__|constructor|prototype)$/;
const escapeKey = (key: string): string => (reserved.test(key) ? `~${key}` : key);
const unescapeKey = (key: string): string => (reserved.test(key) ? key.slice(1) : key);

/** Depth up to which a value is checked; a deeper one may be too deep. */
const maxPlainDepth = 100;

/** True for a value that JSON represents exactly. Most messages are: they skip the copy and superjson. */
function isPlain(value: unknown, seen: Set<unknown>, depth = 0): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || seen.has(value) || depth > maxPlainDepth) return false;
  seen.add(value);
  if (Array.isArray(value))
    return (
      value.every((item) => isPlain(item, seen, depth + 1)) && Object.keys(value).length === value.length
    );
  if (!isRecord(value)) return false;
  return Object.entries(value).every(([key, item]) => !reserved.test(key) && isPlain(item, seen, depth + 1));
}

function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns a copy with renamed keys. `seen` preserves cycles and shared references. */
function renameKeys(value: unknown, rename: (key: string) => string, seen: Map<unknown, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  const each = (item: unknown) => renameKeys(item, rename, seen);
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    seen.set(value, copy);
    for (const item of value) copy.push(each(item));
    return copy;
  }
  if (value instanceof Map) {
    const copy = new Map<unknown, unknown>();
    seen.set(value, copy);
    for (const [key, item] of value) copy.set(each(key), each(item));
    return copy;
  }
  if (value instanceof Set) {
    const copy = new Set<unknown>();
    seen.set(value, copy);
    for (const item of value) copy.add(each(item));
    return copy;
  }
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  seen.set(value, copy);
  for (const [key, item] of Object.entries(value)) {
    // Assigning to `__proto__` would set the prototype instead of a key.
    const property = { value: each(item), writable: true, enumerable: true, configurable: true };
    Object.defineProperty(copy, rename(key), property);
  }
  return copy;
}
