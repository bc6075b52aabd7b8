import { FileError, normalizePath } from "@palimpsest/vfs";
import type { DriverEntry } from "@palimpsest/vfs";
import { pack, unpack } from "../codec/packing/pack.js";

/** The bytes of a file in one row: reading a range reads only its rows. */
export const chunkSize = 262_144;

/** Yields the chunks of a file, packed. Pure. */
export function* chunksOf(bytes: Uint8Array): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += chunkSize) {
    yield pack(bytes.subarray(start, start + chunkSize));
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

/** Returns a range of a file from the chunks that overlap it. Throws a FileError "corrupt" when one is missing. */
export function joinChunks(chunks: Iterable<Chunk>, { path, start, end }: FileRange): Uint8Array {
  const bytes = new Uint8Array(end - start);
  let filled = 0;
  for (const { number, packed } of chunks) {
    const chunk = unpack(packed);
    const offset = number * chunkSize;
    const from = Math.max(0, start - offset);
    const part = chunk.subarray(from, Math.max(from, Math.min(chunk.length, end - offset)));
    bytes.set(part, offset + from - start);
    filled += part.length;
  }
  if (filled === bytes.length) return bytes;
  throw new FileError(
    "corrupt",
    `${path} is damaged: a part of it is missing. Restore the database from a copy.`,
  );
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

/** Yields the entries below a directory, in the order of their paths. */
export async function* listBelow(prefix: string, read: ReadEntries): AsyncGenerator<DriverEntry> {
  const normal = normalizePath(prefix);
  const below = normal === "/" ? "/" : `${normal}/`;
  // "0" is the character after "/": the paths between the two are those below the directory.
  const end = `${below.slice(0, -1)}0`;
  for (let last: string | undefined = below; last !== undefined;) {
    const entries = await read(last, end);
    yield* entries;
    last = entries.length < listPage ? undefined : entries.at(-1)?.path;
  }
}
