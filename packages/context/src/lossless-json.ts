import { SuperJSON, type SuperJSONResult } from "superjson";

const superJson = new SuperJSON();

// superjson knows some of the byte arrays, but writes a Buffer that it cannot read again.
superJson.registerCustom<ArrayBuffer | ArrayBufferView, string>(
  {
    isApplicable: (value): value is ArrayBuffer | ArrayBufferView =>
      value instanceof ArrayBuffer || ArrayBuffer.isView(value),
    serialize(value) {
      const bytes = ArrayBuffer.isView(value)
        ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
        : Buffer.from(value);
      return `${value.constructor.name} ${bytes.toString("base64")}`;
    },
    deserialize(text) {
      const [name = "", base64 = ""] = text.split(" ");
      const bytes = Buffer.from(base64, "base64");
      if (name === "Buffer") return bytes;
      const copy = new Uint8Array(bytes).buffer;
      const View = views.get(name);
      return View === undefined ? copy : new View(copy);
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

/**
 * Returns a value as JSON, with `meta` where JSON has no form for it: undefined, dates, maps, sets, bigints, bytes,
 * NaN, values that stand in several places.
 *
 * Pure. Instances of other classes are written as JSON writes them.
 */
export function toLosslessJson(value: unknown): SuperJSONResult {
  return superJson.serialize(renameKeys(value, escapeKey, new Map()));
}

/** Returns the value that {@link toLosslessJson} was given. */
export function fromLosslessJson({ json, meta }: SuperJSONResult): unknown {
  const value: unknown = superJson.deserialize({ json, ...(meta === undefined ? {} : { meta }) });
  return renameKeys(value, unescapeKey, new Map());
}

/** Keys that superjson refuses, and those that only look like one which was escaped. */
const reserved = /^~*(?:__proto__|constructor|prototype)$/;
const escapeKey = (key: string): string => (reserved.test(key) ? `~${key}` : key);
const unescapeKey = (key: string): string => (reserved.test(key) ? key.slice(1) : key);

/** Returns a copy with other keys; `seen` keeps cycles and shared values as they are. */
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
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copy: Record<string, unknown> = {};
  seen.set(value, copy);
  for (const [key, item] of Object.entries(value)) {
    // A plain assignment to `__proto__` would set the prototype instead of a key.
    const property = { value: each(item), writable: true, enumerable: true, configurable: true };
    Object.defineProperty(copy, rename(key), property);
  }
  return copy;
}
