import { CheckpointError } from "../../checkpoint-error.js";
import { dictionaryOf, pack, sizeOf, unpack } from "./pack.js";
import { digestOf } from "../reference.js";

/** Bytes of a digest. */
const keySize = 16;
const headSize = keySize + 4;
const entrySize = keySize + 4;

const brace = "{".charCodeAt(0);
const bracket = "[".charCodeAt(0);

/** What does not get smaller than this stays as it is: inflating it would take longer than reading the rest of it. */
const worthwhile = 0.75;

/** A value that is to be stored together with others. */
export interface Member {
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** One of the values of a bundle. */
export interface Bundled {
  readonly bundle: Bundle;
  readonly digest: string;
  readonly start: number;
  readonly size: number;
}

/** A value as an engine keeps it: packed by itself, or together with others. */
export type Stored = Uint8Array | Bundled;

/**
 * Values stored together: the digest of the rest, their number, the digest and the size of each, and all packed as one.
 * Text gets a third smaller that way, and is read sooner: of a small deflated value half the time goes into its table.
 */
export class Bundle {
  readonly members: readonly Bundled[];
  /** The values, one behind the other. */
  readonly packed: Uint8Array;
  #bytes: Buffer | undefined;

  /** Throws a CheckpointError "corrupt" for bytes that `bundle` did not make. */
  constructor(data: Uint8Array) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    // Of what is stored: of text there is a third as much as before it was packed.
    if (bytes.length < headSize || keyAt(bytes, 0) !== digestOf(bytes.subarray(keySize))) throw damaged();
    const end = headSize + bytes.readUInt32LE(keySize) * entrySize;
    const members: Bundled[] = [];
    let start = 0;
    for (let offset = headSize; offset < end; offset += entrySize) {
      const size = bytes.readUInt32LE(offset + keySize);
      members.push({ bundle: this, digest: keyAt(bytes, offset), start, size });
      start += size;
    }
    this.members = members;
    this.packed = bytes.subarray(end);
  }

  /** What was packed; unpacked once. */
  get bytes(): Buffer {
    this.#bytes ??= unpack(this.packed);
    return this.#bytes;
  }
}

/** Returns values as they are stored together. Pure. */
export function bundle(members: readonly Member[], { compress }: { readonly compress: boolean }): Buffer {
  const all = Buffer.concat(members.map(({ bytes }) => bytes));
  const head = Buffer.alloc(headSize + members.length * entrySize);
  head.writeUInt32LE(members.length, keySize);
  for (const [index, { digest, bytes }] of members.entries()) {
    const offset = headSize + index * entrySize;
    head.write(digest, offset, "base64url");
    head.writeUInt32LE(bytes.length, offset + keySize);
  }
  const packed = pack(all, { compress });
  const isWorthIt = packed.length <= worthwhile * all.length;
  const whole = Buffer.concat([head, isWorthIt ? packed : pack(all, { compress: false })]);
  whole.write(digestOf(whole.subarray(keySize)), "base64url");
  return whole;
}

/** Returns what was packed. Pure. */
export function unpackStored(stored: Stored): Buffer {
  if (stored instanceof Uint8Array) return unpack(stored);
  return stored.bundle.bytes.subarray(stored.start, stored.start + stored.size);
}

/** Returns a value packed by itself. Pure. */
export function packedAlone(stored: Stored): Uint8Array {
  if (stored instanceof Uint8Array) return stored;
  return pack(unpackStored(stored), { compress: dictionaryOf(stored.bundle.packed) !== undefined });
}

/** Returns how many bytes a value of less than 4 MB had before it was packed. Throws a CheckpointError "corrupt". Pure. */
export function unpackedSize(packed: Uint8Array): number {
  return dictionaryOf(packed) ? sizeOf(packed) : packed.length - 1;
}

/**
 * Returns what bytes look like: a page of a list, another tree, or a leaf. Trees refer to blobs, which are read after them;
 * they begin as JSON does, and not with the name of a class, as messages do. A guess: a text may look like one. Pure.
 */
export function looksLike(bytes: Buffer): "page" | "tree" | "leaf" {
  if (bytes[0] === brace) return "tree";
  return bytes[0] === bracket && !/^\["[A-Z]/.test(bytes.toString("latin1", 0, 3)) ? "page" : "leaf";
}

function keyAt(bytes: Buffer, offset: number): string {
  return bytes.toString("base64url", offset, offset + keySize);
}

function damaged(): CheckpointError {
  return new CheckpointError(
    "corrupt",
    "Values that are stored together are damaged. Restore them from a copy.",
  );
}
