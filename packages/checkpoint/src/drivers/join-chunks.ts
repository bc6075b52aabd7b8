import { FileError } from "@palimpsest/vfs";
import { unpack } from "../codec/packing/pack.js";
import { chunkSize } from "./chunks-of.js";

/** A chunk as it is stored, with its place in the file. */
export interface Chunk {
  readonly number: number;
  readonly packed: Uint8Array;
}

export interface FileRange {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the bytes of a range of a file from the chunks that it touches. Throws a FileError "corrupt" when one is missing. */
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
  throw new FileError("corrupt", `${path} is damaged: a part of it is missing. Restore it from a copy.`);
}
