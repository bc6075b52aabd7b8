import { CheckpointError } from "../../checkpoint-error.js";
import { dictionaryOf, pack, sizeOf, unpack } from "./pack.js";
import { digestOf } from "../reference.js";

/** Bytes of a digest. */
const keySize = 16;
const headSize = keySize + 4;
const entrySize = keySize + 4;

const brace = "{".charCodeAt(0);
const bracket = "[".charCodeAt(0);

/** A bundle that compression leaves larger than this share stays uncompressed: inflating it costs more than reading it. */
const maxCompressedShare = 0.75;

/** A value to bundle. */
export interface Member {
  readonly digest: string;
  readonly bytes: Uint8Array;
}

/** A value inside a bundle, at an offset in the unpacked bytes. */
export interface Bundled {
  readonly bundle: Bundle;
  readonly digest: string;
  readonly start: number;
  readonly size: number;
}

/** A value as an engine stores it: packed alone, or inside a bundle. */
export type Stored = Uint8Array | Bundled;

/**
 * Several values packed as one: a digest of everything after it, the number of values, the digest and the size of each, and
 * the packed bytes of all. Text takes a third less than packed value by value, and is read faster, because half of the time
 * of inflating a small value goes into its Huffman table.
 */
export class Bundle {
  readonly members: readonly Bundled[];
  /** The packed concatenation of the values. */
  readonly packed: Uint8Array;
  #bytes: Buffer | undefined;

  /** Throws a CheckpointError "corrupt" for bytes that `bundle` did not return. */
  constructor(data: Uint8Array) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    // The digest covers the packed bytes, because they are a third of the unpacked ones.
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

  /** The unpacked bytes. Unpacks them once. */
  get bytes(): Buffer {
    this.#bytes ??= unpack(this.packed);
    return this.#bytes;
  }
}

/** Returns the bytes before the packed values of a bundle of so many. Pure. */
export function bundleHead(members: number): number {
  return headSize + members * entrySize;
}

/** Returns the sizes of the values in a bundle that may be damaged; none where their list does not fit into it. Pure. */
export function memberSizes(data: Buffer): readonly number[] {
  const members = data.length < headSize ? 0 : data.readUInt32LE(keySize);
  if (bundleHead(members) > data.length) return [];
  return Array.from({ length: members }, (_, index) => data.readUInt32LE(bundleHead(index) + keySize));
}

/** Packs values into a bundle. Pure. */
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
  const isSmaller = packed.length <= maxCompressedShare * all.length;
  const whole = Buffer.concat([head, isSmaller ? packed : pack(all, { compress: false })]);
  whole.write(digestOf(whole.subarray(keySize)), "base64url");
  return whole;
}

/** Returns the bytes of a stored value. Pure. */
export function unpackStored(stored: Stored): Buffer {
  if (stored instanceof Uint8Array) return unpack(stored);
  return stored.bundle.bytes.subarray(stored.start, stored.start + stored.size);
}

/** Returns a stored value packed alone. Pure. */
export function packedAlone(stored: Stored): Uint8Array {
  if (stored instanceof Uint8Array) return stored;
  return pack(unpackStored(stored), { compress: dictionaryOf(stored.bundle.packed) !== undefined });
}

/** Returns the unpacked size, in bytes, of a packed value below 4 MB. Throws a CheckpointError "corrupt". Pure. */
export function unpackedSize(packed: Uint8Array): number {
  return dictionaryOf(packed) ? sizeOf(packed) : packed.length - 1;
}

/**
 * Guesses from the first bytes whether a blob is a page of a list, another tree, or a leaf. Trees contain references, so the
 * blobs they refer to are read after them. A tree begins like JSON, a message with the name of a class; a text may look like
 * either. Pure.
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
    "A bundle of stored values is damaged. Restore the database from a copy.",
  );
}
