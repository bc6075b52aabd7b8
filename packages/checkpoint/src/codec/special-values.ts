import { types } from "node:util";
import { DeltaSnapshot, JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../checkpoint-error.js";
import { blobThreshold, tag } from "./node.js";
import type { Node } from "./node.js";

/** LangGraph's serializer, for values that the codec cannot represent. */
export class HostSerializer extends JsonPlusSerializer {
  /** Serializes a value synchronously, before anything can change it. */
  // oxlint-disable-next-line no-underscore-dangle -- the only synchronous entry of LangGraph's serializer
  readonly toText = (value: object): string => Buffer.from(this._dumps(value)).toString();

  /**
   * Restores a value. One of a class that LangChain's loader does not know becomes its fields, so that the thread stays
   * readable.
   */
  readonly fromText = async (text: string): Promise<unknown> =>
    this.loadsTyped("json", text).catch(async (error: unknown) => {
      const { type, kwargs }: { type?: unknown; kwargs?: unknown } = Object(JSON.parse(text));
      if (type !== "constructor" || kwargs === undefined) throw error;
      return this.loadsTyped("json", JSON.stringify(kwargs));
    });
}

/** Encoders for the parts of a value. */
export interface EncodeParts {
  readonly node: (value: unknown) => Node;
  readonly bytes: (bytes: Uint8Array) => Node;
  readonly toText: (value: object) => string;
}

/** Returns the node of a Map, Set, Date, Error and the like; undefined for a plain object. */
export function encodeSpecial(value: object, { node, bytes, toText }: EncodeParts): Node | undefined {
  if (value instanceof Uint8Array) {
    if (value.length > blobThreshold) return bytes(Uint8Array.from(value));
    return {
      [tag]: "B",
      v: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"),
    };
  }
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value))
    return { [tag]: "T", v: [bufferName(value), node(bytesIn(value))] };
  if (value instanceof Map) return { [tag]: "M", v: node([...value].map(([key, part]) => [key, part])) };
  if (value instanceof Set) return { [tag]: "S", v: node([...value]) };
  if (value instanceof Date) return { [tag]: "d", v: value.getTime() };
  if (value instanceof RegExp) return { [tag]: "R", v: [value.source, value.flags] };
  if (isError(value)) return { [tag]: "E", v: [node(value.message), node(value.name)] };
  if (isInstanceOf(value, "DeltaSnapshot") && "value" in value) return { [tag]: "D", v: node(value.value) };
  if (isInstanceOf(value, "Send")) return node(sendFields(value));
  return encodeJson(value, { node, toText });
}

/** Returns the node of what JSON has in the place of an object; undefined for its fields. */
function encodeJson(value: object, { node, toText }: Omit<EncodeParts, "bytes">): Node | undefined {
  if (types.isBoxedPrimitive(value)) return node(value.valueOf());
  if (!("toJSON" in value) || typeof value.toJSON !== "function") return undefined;
  if ("lc_serializable" in value) return { [tag]: "s", v: node(toText(value)) };
  const json: unknown = value.toJSON();
  // JSON asks an object once: what it answers with may be itself.
  return json === value ? undefined : node(json);
}

function bufferName(value: ArrayBuffer | ArrayBufferView): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

function bytesIn(value: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
}

/** Returns true for an instance of a class of any copy of LangGraph, false for data with the same fields. */
function isInstanceOf(value: object, name: string): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return "lg_name" in value && value.lg_name === name && prototype !== Object.prototype && prototype !== null;
}

function isError(value: object): value is Error {
  return Object.prototype.toString.call(value) === "[object Error]";
}

/** A Send is restored as its fields, as by every saver: LangGraph rebuilds it. */
function sendFields(send: object): object {
  const { node, args, timeout }: { node?: unknown; args?: unknown; timeout?: unknown } = send;
  return timeout === undefined ? { node, args } : { node, args, timeout };
}

/** Returns the value of a tag other than a reference or a list. Throws a CheckpointError "corrupt" for an unknown tag. */
export function decodeSpecial(letter: string, value: Node, build: (node: Node) => unknown): unknown {
  const decode = decoders[letter];
  if (!decode) {
    throw new CheckpointError(
      "corrupt",
      `A stored value has the unknown tag ${JSON.stringify(letter)}. Open it with the version of this package that wrote it.`,
    );
  }
  return decode(value, build);
}

type Decode = (value: Node, build: (node: Node) => unknown) => unknown;

const decoders: Readonly<Record<string, Decode>> = {
  V: (value) => value,
  u: () => undefined,
  n: (value) => Number(value),
  i: (value) => BigInt(value as string),
  d: (value) => new Date(value === null ? Number.NaN : Number(value)),
  B: (value) => Uint8Array.from(Buffer.from(value as string, "base64")),
  M: (value, build) => new Map(build(value) as Iterable<[unknown, unknown]>),
  S: (value, build) => new Set(build(value) as Iterable<unknown>),
  T: (value, build) => toBuffer(build(value) as [string, Uint8Array]),
  R: (value) => new RegExp(...(value as [string, string])),
  E: (value, build) => toError(build(value) as [string, string]),
  D: (value, build) => new DeltaSnapshot(build(value)),
  o: (value, build) => fromEntries(value as readonly (readonly [string, Node])[], build),
};

/**
 * Numbers are stored in the byte order of the processor: little-endian on everything that Node runs on, except some mainframes.
 */
const buffers: Readonly<Record<string, (buffer: ArrayBuffer) => ArrayBuffer | ArrayBufferView>> = {
  ArrayBuffer: (buffer) => buffer,
  DataView: (buffer) => new DataView(buffer),
  Uint8ClampedArray: (buffer) => new Uint8ClampedArray(buffer),
  Int8Array: (buffer) => new Int8Array(buffer),
  Int16Array: (buffer) => new Int16Array(buffer),
  Uint16Array: (buffer) => new Uint16Array(buffer),
  Int32Array: (buffer) => new Int32Array(buffer),
  Uint32Array: (buffer) => new Uint32Array(buffer),
  BigInt64Array: (buffer) => new BigInt64Array(buffer),
  BigUint64Array: (buffer) => new BigUint64Array(buffer),
  Float32Array: (buffer) => new Float32Array(buffer),
  Float64Array: (buffer) => new Float64Array(buffer),
};

/** Returns the stored view, or its bytes if this version of Node lacks its class. */
function toBuffer([name, bytes]: readonly [string, Uint8Array]): ArrayBuffer | ArrayBufferView {
  return buffers[name]?.(bytes.buffer as ArrayBuffer) ?? bytes;
}

function toError([message, name]: readonly [string, string]): Error {
  const error = new Error(message);
  if (name !== error.name) error.name = name;
  return error;
}

/** Returns an object with these entries. Defines `__proto__` as an own property. */
export function fromEntries(
  entries: readonly (readonly [string, Node])[],
  build: (node: Node) => unknown,
): object {
  const object = {};
  for (const [key, node] of entries) {
    const value = build(node);
    if (key === "__proto__")
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    else Reflect.set(object, key, value);
  }
  return object;
}
