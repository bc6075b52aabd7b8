import { createCipheriv, createDecipheriv } from "node:crypto";
import { FileError } from "../errors.js";
import { markSize } from "./content-key.js";
import type { ContentKey } from "./content-key.js";

// An encrypted content is a head in clear, a mark, and chunks of up to 64 KB, each with a tag of AES-256-GCM. The head has a
// signature, the id of the key, and what must be readable without the key. A range takes only its chunks to read.

/** No text in UTF-8, JSON or deflated value begins like this. */
const signature = Buffer.from([0xff, 0x70, 0x61, 0x6c, 0x69, 0x6d, 0x70, 0x01]);
const fixedSize = signature.length + 1 + 8;
const tagSize = 16;

/** Bytes of content in one chunk. */
export const chunkSize = 65_536;

/** Bytes of the head of a file: its content's size follows from its stored size. */
export const fileHeadSize = 72;

/** Bytes of a file before its first chunk. */
export const fileStart = fileHeadSize + markSize;

const noBytes = new Uint8Array();

export interface EncryptOptions {
  /** What the content is, such as the path of its file: it can be read only as that. @default "" */
  readonly place?: string;
  /** What must be readable without the key. @default nothing */
  readonly clear?: Uint8Array;
  /** Bytes of the head at least. @default as few as it takes */
  readonly headSize?: number;
}

/** What is stored before a content in clear. */
export interface Head {
  readonly keyId: string;
  readonly clear: Buffer;
  /** Bytes. */
  readonly size: number;
}

/** Encrypts a content. Equal contents with equal options have the same encrypted form. */
export function encryptContent(
  content: Uint8Array,
  key: ContentKey,
  { place = "", clear = noBytes, headSize = 0 }: EncryptOptions = {},
): Buffer {
  const head = headOf(key.id, clear, headSize);
  const mark = key.markOf([place, clear, content]);
  const secret = key.keyOf(Buffer.concat([head, Buffer.from(place)]), mark);
  const parts: Uint8Array[] = [head, mark];
  const last = Math.max(0, Math.ceil(content.length / chunkSize) - 1);
  for (let number = 0; number <= last; number++) {
    const cipher = createCipheriv("aes-256-gcm", secret, nonceOf(number, number === last));
    parts.push(cipher.update(content.subarray(number * chunkSize, (number + 1) * chunkSize)), cipher.final());
    parts.push(cipher.getAuthTag());
  }
  return Buffer.concat(parts);
}

/** Returns the content. Throws a FileError "corrupt" for bytes that this key did not encrypt for this place. */
export function decryptContent(stored: Uint8Array, key: ContentKey, place = ""): Buffer {
  const bytes = bufferOf(stored);
  const head = readHead(bytes);
  if (head === undefined) throw damaged(place);
  const size = contentSize(bytes.length, head.size);
  const chunks = { start: 0, end: size, size, from: 0 };
  return decryptChunks(bytes.subarray(head.size + markSize), { head: bytes, key, place, chunks });
}

/** A range of a content, and what of its chunks was read. */
export interface ChunkRange {
  /** Of the content, in bytes; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** Bytes of the whole content. */
  readonly size: number;
  /** The number of the first chunk that was read. */
  readonly from: number;
}

export interface DecryptOptions {
  /** The bytes before the first chunk, or more. */
  readonly head: Uint8Array;
  readonly key: ContentKey;
  readonly place: string;
  readonly chunks: ChunkRange;
}

/** Returns a range of a content from its encrypted chunks. Throws a FileError "corrupt". */
export function decryptChunks(
  stored: Uint8Array,
  { head: given, key, place, chunks: { start, end, size, from } }: DecryptOptions,
): Buffer {
  const bytes = bufferOf(given);
  const head = readHead(bytes);
  if (head === undefined) throw damaged(place);
  const mark = bytes.subarray(head.size, head.size + markSize);
  const secret = key.keyOf(Buffer.concat([bytes.subarray(0, head.size), Buffer.from(place)]), mark);
  const last = Math.max(0, Math.ceil(size / chunkSize) - 1);
  const parts: Buffer[] = [];
  for (let number = from; number <= last && (number * chunkSize < end || number === 0); number++) {
    const at = (number - from) * (chunkSize + tagSize);
    const chunk = stored.subarray(at, at + chunkSize + tagSize);
    const plain = decryptChunk(chunk, { secret, nonce: nonceOf(number, number === last), place });
    parts.push(
      plain.subarray(Math.max(0, start - number * chunkSize), Math.max(0, end - number * chunkSize)),
    );
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

interface ChunkSecret {
  readonly secret: Buffer;
  readonly nonce: Buffer;
  readonly place: string;
}

function decryptChunk(chunk: Uint8Array, { secret, nonce, place }: ChunkSecret): Buffer {
  const end = chunk.length - tagSize;
  if (end < 0) throw damaged(place);
  try {
    const decipher = createDecipheriv("aes-256-gcm", secret, nonce).setAuthTag(chunk.subarray(end));
    const plain = decipher.update(chunk.subarray(0, end));
    decipher.final();
    return plain;
  } catch (error) {
    throw damaged(place, error);
  }
}

/** Returns the head of an encrypted content; undefined for bytes that are none. Pure. */
export function readHead(stored: Uint8Array): Head | undefined {
  // Hot path: most bytes are no encrypted content.
  if (stored[0] !== signature[0]) return undefined;
  const bytes = bufferOf(stored);
  if (bytes.length < fixedSize || !bytes.subarray(0, signature.length).equals(signature)) return undefined;
  const idEnd = fixedSize + bytes.readUInt8(signature.length);
  const size = bytes.readUInt32LE(signature.length + 1);
  const clearSize = bytes.readUInt32LE(signature.length + 5);
  if (idEnd + clearSize > size || size + markSize > bytes.length) return undefined;
  return {
    keyId: bytes.toString("latin1", fixedSize, idEnd),
    clear: bytes.subarray(idEnd, idEnd + clearSize),
    size,
  };
}

/** Returns true for bytes that begin like an encrypted content. Pure. */
export function isEncrypted(stored: Uint8Array): boolean {
  return readHead(stored) !== undefined;
}

/** Returns the bytes of a content from those of its encrypted form and of its head. Pure. */
export function contentSize(storedSize: number, headSize: number): number {
  const body = storedSize - headSize - markSize;
  return Math.max(0, body - tagSize * Math.max(1, Math.ceil(body / (chunkSize + tagSize))));
}

/** Returns the part of a file that the chunks of a range of its content take. Pure. */
export function storedRange(
  { start, end }: { readonly start: number; readonly end: number },
  headSize: number,
): { readonly from: number; readonly start: number; readonly end: number } {
  const from = Math.floor(start / chunkSize);
  const to = Math.max(from + 1, Math.ceil(end / chunkSize));
  const first = headSize + markSize;
  return { from, start: first + from * (chunkSize + tagSize), end: first + to * (chunkSize + tagSize) };
}

function headOf(keyId: string, clear: Uint8Array, minSize: number): Buffer {
  const size = Math.max(minSize, fixedSize + keyId.length + clear.length);
  const head = Buffer.alloc(size);
  head.set(signature);
  head.writeUInt8(keyId.length, signature.length);
  head.writeUInt32LE(size, signature.length + 1);
  head.writeUInt32LE(clear.length, signature.length + 5);
  head.write(keyId, fixedSize, "latin1");
  head.set(clear, fixedSize + keyId.length);
  return head;
}

/** A key encrypts one content, so the number of a chunk is its nonce. The last one has a mark: a cut content is damaged. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32LE(number, 0);
  nonce.writeUInt8(isLast ? 1 : 0, 4);
  return nonce;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function damaged(place: string, cause?: unknown): FileError {
  const what = place === "" ? "An encrypted content" : place;
  return new FileError(
    "corrupt",
    `${what} cannot be decrypted: its bytes have changed, or encryption.key returns another key than it was written with. Restore it from a copy, or return that key.`,
    { cause },
  );
}
