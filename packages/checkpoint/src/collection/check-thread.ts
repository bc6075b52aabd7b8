import { isLeaf, Scan } from "../codec/gather.js";
import type { Unpacked } from "../codec/packing/unpacked.js";
import { digestIn } from "../codec/reference.js";
import type { DamagedPart, Engine, OnDamage, StoredTuple } from "../engine.js";
import { readableBlobs } from "./readable-blobs.js";
import { rootsOf } from "./reach.js";

/** Counts of what a check of a thread has read. */
export interface CheckedThread {
  /** Checkpoints whose own row is intact. */
  readonly checkpoints: number;
  /** Stored values and contents of workspace files, each counted once. */
  readonly values: number;
  /** Bytes of those, unpacked. */
  readonly bytes: number;
}

/** A checked thread, and the digests of workspace files in its checkpoints, each with the newest checkpoint that holds it. */
export interface CheckedCheckpoints extends CheckedThread {
  readonly files: ReadonlyMap<string, string>;
}

export interface CheckOptions {
  readonly onDamage: OnDamage;
  /** Receives every value that can be read, once. */
  readonly onValue?: (reference: string, value: Unpacked) => void;
  /** Called from time to time with the counts so far. */
  readonly onProgress?: ((checked: CheckedThread) => void) | undefined;
}

/** How many values are read between two calls of `onProgress`. */
const progressEvery = 1_024;

/** Checkpoints whose values are read together. */
const batchSize = 64;

/**
 * Reads every checkpoint of a thread, and every stored value once, and compares each with its checksum or digest. Goes on after
 * damage. A damaged value is reported once, with the newest checkpoint that holds it.
 */
export async function checkThread(
  engine: Engine,
  threadId: string,
  options: CheckOptions,
): Promise<CheckedCheckpoints> {
  const check = new ThreadCheck(engine, threadId, options);
  let batch: StoredTuple[] = [];
  for await (const tuple of engine.listIntact(threadId, options.onDamage)) {
    batch.push(tuple);
    if (batch.length < batchSize) continue;
    await check.add(batch);
    batch = [];
  }
  await check.add(batch);
  return check.result;
}

/** Returns the damage of checkpoints that are still stored, without those that were deleted meanwhile. */
export async function stillStored(
  engine: Engine,
  threadId: string,
  damage: readonly DamagedPart[],
): Promise<readonly DamagedPart[]> {
  if (damage.length === 0) return damage;
  const stored = new Set<string | undefined>([undefined]);
  let isWhole = true;
  const onDamage = ({ id }: DamagedPart): void => {
    stored.add(id);
    isWhole &&= id !== undefined;
  };
  for await (const { id } of engine.listIntact(threadId, onDamage)) stored.add(id);
  return damage.filter(({ id }) => !isWhole || stored.has(id));
}

/** The references of a checkpoint or a stored tree. */
interface Part {
  readonly references: readonly string[];
  /** Digests of workspace files. */
  readonly files: ReadonlySet<string>;
}

class ThreadCheck {
  readonly #engine: Engine;
  readonly #threadId: string;
  readonly #options: CheckOptions;
  /** Digests of leaves, and references to trees: the same bytes may be trees of two kinds. */
  readonly #known = new Set<string>();
  readonly #files = new Map<string, string>();
  #checkpoints = 0;
  #read = 0;
  #bytes = 0;

  constructor(engine: Engine, threadId: string, options: CheckOptions) {
    this.#engine = engine;
    this.#threadId = threadId;
    this.#options = options;
  }

  get result(): CheckedCheckpoints {
    const [checkpoints, values] = [this.#checkpoints, this.#known.size];
    return { checkpoints, values, bytes: this.#bytes, files: this.#files };
  }

  /** Reads the values of checkpoints that no earlier one holds, newest first, level by level. */
  async add(tuples: readonly StoredTuple[]): Promise<void> {
    this.#checkpoints += tuples.length;
    const roots = tuples.map((tuple) =>
      partOf((scan) => rootsOf([tuple]).forEach((node) => scan.node(node))),
    );
    const trees = new Map<string, Part>();
    const damaged = new Map<string, Error>();
    const report = (digest: string, error: Error): void => void damaged.set(digest, error);
    const source = { engine: eachRowOf(this.#engine), threadId: this.#threadId, report };
    for (let wanted = this.#fresh(roots); wanted.length > 0;) {
      const found: Part[] = [];
      for await (const [index, value] of readableBlobs(source, wanted.map(digestIn))) {
        const reference = wanted[index] ?? "";
        this.#bytes += value.bytes.length;
        this.#options.onValue?.(reference, value);
        if (++this.#read % progressEvery === 0) this.#options.onProgress?.(this.result);
        if (isLeaf(reference)) continue;
        const part = partOf((scan) => scan.tree(reference, value.bytes));
        trees.set(reference, part);
        found.push(part);
      }
      wanted = this.#fresh(found);
    }
    for (const [index, { id }] of tuples.entries()) this.#attribute(id, roots[index], { trees, damaged });
  }

  #fresh(parts: readonly Part[]): readonly string[] {
    const fresh: string[] = [];
    for (const reference of parts.flatMap(({ references }) => references)) {
      const key = isLeaf(reference) ? digestIn(reference) : reference;
      if (this.#known.has(key)) continue;
      this.#known.add(key);
      fresh.push(reference);
    }
    return fresh;
  }

  /**
   * Attributes everything that is reachable from a checkpoint to it, unless a newer one holds it, and removes it from `found`.
   */
  #attribute(id: string, root: Part | undefined, { trees, damaged }: Found): void {
    const threadId = this.#threadId;
    const parts = root === undefined ? [] : [root];
    for (let part = parts.pop(); part; part = parts.pop()) {
      for (const file of part.files) if (!this.#files.has(file)) this.#files.set(file, id);
      for (const reference of part.references) {
        const digest = digestIn(reference);
        const error = damaged.get(digest);
        if (error) this.#options.onDamage({ threadId, id, digest, error });
        damaged.delete(digest);
        const tree = trees.get(reference);
        if (tree) parts.push(tree);
        trees.delete(reference);
      }
    }
  }
}

/** Parts that a batch has read and that are not attributed yet. */
interface Found {
  readonly trees: Map<string, Part>;
  readonly damaged: Map<string, Error>;
}

/** Reads each row on its own, because a row whose value another row also leads to can be damaged too. */
function eachRowOf(engine: Engine): Pick<Engine, "blobs"> {
  return { blobs: async (threadId, digests) => engine.blobs(threadId, digests, { eachRow: true }) };
}

function partOf(scanned: (scan: Scan) => void): Part {
  const scan = new Scan();
  scanned(scan);
  return { references: scan.take(), files: scan.files };
}
