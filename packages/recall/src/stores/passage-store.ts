import { hash } from "node:crypto";
import type { Passage, PassageFilter, ScoredId, StoredPassage } from "../passage.js";

/** A file of the archive, split into passages. */
export interface FilePassages {
  readonly thread: string;
  readonly path: string;
  readonly passages: readonly Passage[];
}

/** A passage with the vector of its text, or with the text when there is no vector yet. */
export interface VectorRow {
  readonly id: number;
  readonly vector: Float32Array | undefined;
  /** "" when there is a vector. */
  readonly text: string;
}

export interface VectorPage {
  readonly model: string;
  /** The ids of the thread. */
  readonly ids: IdRange;
  readonly limit: number;
}

/** The width of a search in the graph of a thread, and the size of the graph when the width was measured. */
export interface Measured {
  readonly width: number;
  readonly size: number;
}

/** The vectors of texts by model: no text is embedded twice with one model. */
export interface StoredVectors {
  /** Returns the passages of a thread with ids greater than `id`, in the order of their ids. */
  after(id: number, page: VectorPage): Promise<VectorRow[]>;
  /** Stores the vectors of texts in one transaction. */
  add(
    model: string,
    vectors: readonly { readonly text: string; readonly vector: Float32Array }[],
  ): Promise<void>;
  measured(model: string, ids: IdRange): Promise<Measured | undefined>;
  keepMeasured(model: string, ids: IdRange, measured: Measured): Promise<void>;
  /** Deletes every vector of a model. */
  remove(model: string): Promise<void>;
}

/**
 * The storage port: passages, their words and their vectors. Each writing call is one transaction, and several processes
 * may write in parallel. A store rebuilds damaged or lost tables, empty, and reports it to the one who opened it.
 */
export interface PassageStore {
  readonly vectors: StoredVectors;
  /** Returns the id of these tables. Rebuilt tables have a new id. */
  birth(): Promise<string>;
  /** Adds the passages that are new. */
  add(passages: readonly Passage[]): Promise<void>;
  /** Adds all passages of each file that is new, and none of an indexed file. */
  addFiles(files: readonly FilePassages[]): Promise<void>;
  /** Returns the paths that are not indexed. */
  missing(thread: string, paths: readonly string[]): Promise<string[]>;
  /** Returns the best passages by words (BM25, k1 1.2, b 0.75), best first. */
  rank(query: string, filter: PassageFilter, limit: number): Promise<ScoredId[]>;
  /** Returns the ids that a thread's passages can have; undefined for an unknown thread. */
  idsOf(thread: string): Promise<IdRange | undefined>;
  /** Returns the paths of the passages with these ids. */
  paths(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Returns the passages with these ids that pass the filter. */
  read(ids: readonly number[], filter: PassageFilter): Promise<StoredPassage[]>;
  /** Deletes a thread. Returns the ids that its passages had. */
  removeThread(thread: string): Promise<IdRange | undefined>;
  /** Removes the bytes and words of deleted passages from the files of the store. */
  scrub(): Promise<void>;
  /** Counts all passages, and all bytes of the tables. */
  size(): Promise<{ readonly rows: number; readonly bytes: number }>;
  close(): Promise<void>;
}

/** Each thread has a range of 268 million ids for its passages, assigned in order of arrival. */
export const idsPerThread = 2 ** 28;

/** First and last id that the passages of a thread can have. */
export type IdRange = readonly [first: number, last: number];

/** Returns the id range of the thread with a number. Pure. */
export function rangeOf(no: number): IdRange {
  return [no * idsPerThread + 1, (no + 1) * idsPerThread - 1];
}

/** Returns the number of the thread with an id range. Pure. */
export function numberOf([first]: IdRange): number {
  return Math.floor(first / idsPerThread);
}

/** Groups items by thread, in their order. Pure. */
export function byThread<Item extends { readonly thread: string }>(
  items: readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  const threads = new Map<string, Item[]>();
  for (const item of items) {
    const own = threads.get(item.thread);
    if (own === undefined) threads.set(item.thread, [item]);
    else own.push(item);
  }
  return threads;
}

/** Returns the SHA-256 of a text in base64url. Pure. */
export function digestOf(text: string): string {
  return hash("sha256", text, "base64url");
}

/** Returns stored bytes as a vector. Copies them, because they may not be aligned. Pure. */
export function floats(bytes: ArrayBuffer | Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}

/** Returns a vector as bytes, which share its memory. Pure. */
export function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}
