import { blobThreshold, tag } from "./node.js";
import type { Node } from "./node.js";

/** How the parts of a value are encoded. */
export interface EncodeParts {
  readonly node: (value: unknown) => Node;
  readonly bytes: (bytes: Uint8Array) => Node;
  readonly toText: (value: object) => string;
}

/** Returns the node of an object that is neither plain nor an array nor a message; undefined for the others. */
export function encodeExotic(value: object, { node, bytes, toText }: EncodeParts): Node | undefined {
  if (value instanceof Uint8Array) {
    if (value.length > blobThreshold) return bytes(Uint8Array.from(value));
    return {
      [tag]: "B",
      v: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"),
    };
  }
  if (value instanceof Map) return { [tag]: "M", v: node([...value].map(([key, part]) => [key, part])) };
  if (value instanceof Set) return { [tag]: "S", v: node([...value]) };
  if (value instanceof Date) return { [tag]: "d", v: value.getTime() };
  if (value instanceof RegExp) return { [tag]: "R", v: [value.source, value.flags] };
  if (isError(value)) return { [tag]: "E", v: [node(value.message), node(value.name)] };
  if ("lg_name" in value && value.lg_name === "DeltaSnapshot" && "value" in value) {
    return { [tag]: "D", v: node(value.value) };
  }
  if ("lg_name" in value && value.lg_name === "Send") return node(sendFields(value));
  if (!("toJSON" in value) || typeof value.toJSON !== "function") return undefined;
  if ("lc_serializable" in value) return { [tag]: "s", v: node(toText(value)) };
  return node(value.toJSON());
}

function isError(value: object): value is Error {
  return Object.prototype.toString.call(value) === "[object Error]";
}

/** A Send comes back as its fields, as from every saver: the host builds it anew. */
function sendFields(send: object): object {
  const { node, args, timeout }: { node?: unknown; args?: unknown; timeout?: unknown } = send;
  return timeout === undefined ? { node, args } : { node, args, timeout };
}
