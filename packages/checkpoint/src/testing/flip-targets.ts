import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { DirectoryDriver, MemoryDriver } from "@palimpsest/vfs";
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { VfsSaver } from "../saver/vfs-saver.js";
import { temporaryPath } from "./savers.js";

/** Threads on disk whose copies a test can damage. */
export interface FlipTarget {
  /** How many steps of each thread to write. */
  readonly steps: number;
  /** Opens the storage for the threads to be written. */
  readonly create: () => VfsSaver;
  /** Brings on disk what was written, after the saver was closed. */
  readonly finish: () => Promise<void>;
  /** The number of bits on disk, once the threads are written. */
  readonly bits: () => number;
  /** Opens a copy of the storage in which one bit, or none, is flipped. */
  readonly open: (bit?: number) => VfsSaver;
}

export async function fileTarget(): Promise<FlipTarget> {
  const [path, copy] = [temporaryPath(), temporaryPath("copy.db")];
  return {
    steps: 24,
    create: () => VfsSaver.fromPath(path),
    finish: async () => undefined,
    bits: () => statSync(path).size * 8,
    open: (bit) => {
      for (const ending of ["-wal", "-shm"]) rmSync(copy + ending, { force: true });
      copyFileSync(path, copy);
      if (bit !== undefined) flipBit(copy, bit);
      return VfsSaver.fromPath(copy);
    },
  };
}

/** A wrapped saver in memory, with its contents and files in a directory. Flips one bit after the other in place. */
export async function directoryTarget(): Promise<FlipTarget> {
  const path = temporaryPath("copy.db");
  const [memory, blobs] = [new MemorySaver(), new MemoryDriver()];
  let flipped: number | undefined;
  return {
    steps: 8,
    create: () => VfsSaver.wrap(memory, { blobs }),
    // Without the sync of each file, which a DirectoryDriver waits for.
    finish: async () => {
      for await (const { path: name } of blobs.list("/")) {
        mkdirSync(join(path, dirname(name)), { recursive: true });
        writeFileSync(join(path, name), (await blobs.read(name)) ?? new Uint8Array());
      }
    },
    bits: () => filesIn(path).reduce((sum, file) => sum + statSync(file).size * 8, 0),
    open: (bit) => {
      const files = filesIn(path);
      for (const each of [flipped, bit]) if (each !== undefined) flipIn(files, each);
      flipped = bit;
      return VfsSaver.wrap(memory, { blobs: new DirectoryDriver(path) });
    },
  };
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .sort();
}

function flipIn(files: readonly string[], bit: number): void {
  let left = bit;
  for (const file of files) {
    const bits = statSync(file).size * 8;
    if (left < bits) return flipBit(file, left);
    left -= bits;
  }
}

function flipBit(path: string, bit: number): void {
  const file = openSync(path, "r+");
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, bit >> 3);
  writeSync(
    file,
    byte.map((value) => value ^ (1 << (bit & 7))),
    0,
    1,
    bit >> 3,
  );
  closeSync(file);
}
