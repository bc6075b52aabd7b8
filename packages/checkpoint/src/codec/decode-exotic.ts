import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../checkpoint-error.js";
import type { Node } from "./node.js";

/** Returns the value of a tag other than a reference or a list. Throws a CheckpointError "corrupt" for one it does not know. */
export function decodeExotic(letter: string, value: Node, build: (node: Node) => unknown): unknown {
  const decode = decoders[letter];
  if (!decode) {
    throw new CheckpointError(
      "corrupt",
      `A stored value has the tag ${JSON.stringify(letter)}, which is not known. Open it with the version that wrote it.`,
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
  R: (value) => new RegExp(...(value as [string, string])),
  E: (value, build) => toError(build(value) as [string, string]),
  D: (value, build) => new DeltaSnapshot(build(value)),
  o: (value, build) => fromEntries(value as readonly (readonly [string, Node])[], build),
};

function toError([message, name]: readonly [string, string]): Error {
  const error = new Error(message);
  if (name !== error.name) error.name = name;
  return error;
}

/** Returns an object with these entries, also where a key is `__proto__`. */
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
