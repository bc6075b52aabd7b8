import { createHash } from "node:crypto";
import type { Passage, PassageFilter, ScoredId, StoredPassage } from "../passage.js";

/** A file of the archive in passages. */
export interface FilePassages {
  readonly thread: string;
  readonly path: string;
  readonly passages: readonly Passage[];
}

/** A passage with the vector of its text, or with its text where there is no vector yet. */
export interface VectorRow {
  readonly id: number;
  readonly vector: Float32Array | undefined;
  /** "" beside a vector. */
  readonly text: string;
}

export interface VectorPage {
  readonly model: string;
  /** The thread's. */
  readonly ids: IdRange;
  readonly limit: number;
}

/** How wide the graph of a thread is to be searched, and how many vectors it had when that was measured. */
export interface Measured {
  readonly width: number;
  readonly size: number;
}

/** The vectors of texts, by model: the same text is never embedded twice with one model. */
export interface StoredVectors {
  /** Returns the passages of a thread after an id, in the order of the ids. */
  after(id: number, page: VectorPage): Promise<VectorRow[]>;
  /** Keeps the vectors of texts, in one transaction. */
  add(
    model: string,
    vectors: readonly { readonly text: string; readonly vector: Float32Array }[],
  ): Promise<void>;
  measured(model: string, ids: IdRange): Promise<Measured | undefined>;
  keepMeasured(model: string, ids: IdRange, measured: Measured): Promise<void>;
  /** Forgets every vector of a model. */
  remove(model: string): Promise<void>;
}

/**
 * The storage port: passages, their words and their vectors. Each call that writes is one transaction, and several
 * processes may write at once. What is broken or lost is made anew, empty, and whoever opened the store is told.
 */
export interface PassageStore {
  readonly vectors: StoredVectors;
  /** Names the tables: others that stand at the same place later have another name. */
  birth(): Promise<string>;
  /** Takes in those that are not there yet. */
  add(passages: readonly Passage[]): Promise<void>;
  /** Takes in files whole, or nothing of one that is there. */
  addFiles(files: readonly FilePassages[]): Promise<void>;
  /** Returns those of the files that are not there. */
  missing(thread: string, paths: readonly string[]): Promise<string[]>;
  /** Returns the best by their words (BM25, k1 1.2, b 0.75), higher first. */
  rank(query: string, filter: PassageFilter, limit: number): Promise<ScoredId[]>;
  /** Returns the ids that a thread's passages can have; undefined for a thread without any. */
  idsOf(thread: string): Promise<IdRange | undefined>;
  /** Returns the paths of the passages with these ids. */
  paths(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Returns the passages with these ids that pass the filter. */
  read(ids: readonly number[], filter: PassageFilter): Promise<StoredPassage[]>;
  /** Forgets a thread. Returns the ids that its passages had. */
  removeThread(thread: string): Promise<IdRange | undefined>;
  close(): Promise<void>;
}

/** Ids that one thread has for its passages, in the order of their coming: 268 million. */
export const idsPerThread = 2 ** 28;

/** First and last id that the passages of a thread can have. */
export type IdRange = readonly [first: number, last: number];

/** Returns the ids of the thread with a number. Pure. */
export function rangeOf(no: number): IdRange {
  return [no * idsPerThread + 1, (no + 1) * idsPerThread - 1];
}

/** Returns the number of a thread, from its ids. Pure. */
export function numberOf([first]: IdRange): number {
  return Math.floor(first / idsPerThread);
}

/** Returns what belongs to each thread, in its order. Pure. */
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

/** Returns a short name of a text that no other text has. Pure. */
export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Returns stored bytes as numbers; a copy, for the bytes may not be aligned. */
export function floats(bytes: ArrayBuffer | Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer);
}

/** Returns numbers as bytes to store; the same memory. */
export function bytesOf(vector: Float32Array): Buffer {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
}
