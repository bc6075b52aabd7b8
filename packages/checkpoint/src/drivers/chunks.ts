import { FileError, normalizePath } from "@palimpsest/vfs";
import type { DriverEntry } from "@palimpsest/vfs";
import { pack, unpack } from "../codec/packing/pack.js";
import { unpackAll } from "../codec/packing/unpack-all.js";
import { checksummed, verified } from "../codec/packing/checksum.js";
import { CheckpointError } from "../checkpoint-error.js";

/** Bytes of a file in one row. A read of a range reads only its rows. */
export const chunkSize = 262_144;

/** Yields the chunks of a file, packed, with a checksum of the path, the number and the bytes. Pure. */
export function* chunksOf(bytes: Uint8Array, path: string): Generator<Buffer> {
  for (let start = 0, number = 0; start < bytes.length; start += chunkSize, number++) {
    yield checksummed(pack(bytes.subarray(start, start + chunkSize)), [path, number]);
  }
}

/** A stored chunk, and its index in the file. */
export interface Chunk {
  readonly number: number;
  readonly packed: Uint8Array;
}

export interface FileRange {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns a range of a file from the chunks that overlap it, in their order. Throws a FileError "corrupt" when one is missing
 * or damaged.
 */
export function joinChunks(chunks: Iterable<Chunk>, { path, start, end }: FileRange): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = start;
  for (const { number, packed } of chunks) {
    const chunk = unpackChunk(packed, path, number);
    const from = at - number * chunkSize;
    const part = chunk.subarray(
      Math.max(0, from),
      Math.max(0, Math.min(chunk.length, end - number * chunkSize)),
    );
    if (from < 0) break;
    parts.push(part);
    at += part.length;
  }
  if (at === end) return new Uint8Array(parts.length === 1 ? (parts[0] ?? []) : Buffer.concat(parts));
  throw damagedFile(path, "a part of it is missing");
}

function unpackChunk(packed: Uint8Array, path: string, number: number): Uint8Array {
  try {
    const chunk = unpack(verified(packed, [path, number]));
    if (chunk.length <= chunkSize) return chunk;
  } catch (error) {
    if (!CheckpointError.isInstance(error)) throw error;
  }
  throw damagedFile(path, "its bytes changed");
}

/** A file of one chunk. */
export interface SmallFile {
  readonly path: string;
  readonly size: number;
  readonly packed: Uint8Array;
}

/** Returns the bytes of files of one chunk. Throws a FileError "corrupt" for the first that is damaged. */
export async function unpackChunks(files: readonly SmallFile[]): Promise<readonly Uint8Array[]> {
  const unpacked = await unpackAll(files.map(verifiedChunk)).catch((error: unknown) => {
    // One damaged value breaks the stream of several: inflate them one by one to find it.
    if (!CheckpointError.isInstance(error)) throw error;
    return undefined;
  });
  return files.map(({ path, size, packed }, index) => {
    const bytes = unpacked?.[index]?.bytes ?? unpackChunk(packed, path, 0);
    if (bytes.length !== size) throw damagedFile(path, "a part of it is missing");
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  });
}

function verifiedChunk({ path, packed }: SmallFile): Uint8Array {
  try {
    return verified(packed, [path, 0]);
  } catch (error) {
    if (!CheckpointError.isInstance(error)) throw error;
    throw damagedFile(path, "its bytes changed");
  }
}

/** Returns the error for a damaged file. Pure. */
export function damagedFile(path: string, how: string): FileError {
  return new FileError("corrupt", `${path} is damaged: ${how}. Restore the database from a copy.`);
}

/** Returns the normal form of a file's path. Throws a FileError "is-directory" for the root. Pure. */
export function filePath(path: string): string {
  const normal = normalizePath(path);
  if (normal !== "/") return normal;
  throw new FileError("is-directory", "/ is a directory. Name a file below it.");
}

/** The most entries of one read. */
export const listPage = 256;

/** Reads up to `listPage` entries between two paths, in the order of their paths. */
export type ReadEntries = (after: string, before: string) => Promise<readonly DriverEntry[]>;

/** Returns the two texts between which the paths below a directory sort. Pure. */
export function boundsOf(prefix: string): readonly [after: string, before: string] {
  const normal = normalizePath(prefix);
  const below = normal === "/" ? "/" : `${normal}/`;
  // "0" is the character after "/".
  return [below, `${below.slice(0, -1)}0`];
}

/** Yields the entries below a directory, in the order of their paths. */
export async function* listBelow(prefix: string, read: ReadEntries): AsyncGenerator<DriverEntry> {
  const [below, end] = boundsOf(prefix);
  for (let last: string | undefined = below; last !== undefined;) {
    const entries = await read(last, end);
    yield* entries;
    last = entries.length < listPage ? undefined : entries.at(-1)?.path;
  }
}
