import { CheckpointError } from "../checkpoint-error.js";
import { isLeaf, Scan } from "../codec/gather.js";
import type { Unpacked } from "../codec/packing/unpacked.js";
import { digestIn } from "../codec/reference.js";
import { rootsOf } from "./reach.js";
import type { Engine, OnDamage } from "../engine.js";
import { loadBlobs } from "./load-blobs.js";

/** What a check of a thread has read. */
export interface CheckedThread {
  /** Checkpoints whose own row is intact. */
  readonly checkpoints: number;
  /** Stored values and contents of workspace files, each counted once. */
  readonly values: number;
  /** Bytes of those, unpacked. */
  readonly bytes: number;
}

/** A checked thread, and the digests of the workspace files that its checkpoints hold, each with the newest that does. */
export interface CheckedCheckpoints extends CheckedThread {
  readonly files: ReadonlyMap<string, string>;
}

export interface CheckOptions {
  readonly onDamage: OnDamage;
  /** Receives every value that can be read, once. */
  readonly onValue?: (reference: string, value: Unpacked) => void;
}

const perLoad = 256;

/**
 * Reads every checkpoint of a thread, and every stored value once, and compares each with its checksum or digest. Goes on after
 * damage. A damaged value is reported once, with the newest checkpoint that holds it.
 */
export async function checkThread(
  engine: Engine,
  threadId: string,
  { onDamage, onValue }: CheckOptions,
): Promise<CheckedCheckpoints> {
  const scan = new Scan();
  const known = new Set<string>();
  const files = new Map<string, string>();
  let [checkpoints, bytes] = [0, 0];
  for await (const tuple of engine.listIntact(threadId, onDamage)) {
    const { id } = tuple;
    checkpoints += 1;
    for (const node of rootsOf([tuple])) scan.node(node);
    for (let wanted = scan.take(); wanted.length > 0; wanted = scan.take()) {
      const fresh = wanted.filter((reference) => !isLeaf(reference) || !known.has(digestIn(reference)));
      for (const reference of fresh) known.add(digestIn(reference));
      const report = (digest: string, error: Error): void => onDamage({ threadId, id, digest, error });
      const load = async (digests: readonly string[]) => loadBlobs(engine, threadId, digests);
      for await (const [reference, value] of readable(fresh, load, report)) {
        bytes += value.bytes.length;
        onValue?.(reference, value);
        if (!isLeaf(reference)) scan.tree(reference, value.bytes);
      }
    }
    for (const digest of scan.files) if (!files.has(digest)) files.set(digest, id);
    scan.files.clear();
  }
  return { checkpoints, values: known.size, bytes, files };
}

/** Yields the values that can be read. Halves a group with a damaged one until that is alone. */
async function* readable(
  references: readonly string[],
  load: (digests: readonly string[]) => Promise<readonly Unpacked[]>,
  report: (digest: string, error: Error) => void,
): AsyncGenerator<readonly [reference: string, value: Unpacked]> {
  const groups: (readonly string[])[] = [];
  for (let start = references.length; start > 0; start -= perLoad)
    groups.push(references.slice(Math.max(0, start - perLoad), start));
  for (let group = groups.pop(); group; group = groups.pop()) {
    let values: readonly Unpacked[] = [];
    try {
      values = await load(group.map(digestIn));
    } catch (error) {
      if (!isDamage(error)) throw error;
      const half = Math.ceil(group.length / 2);
      const digest = digestIn(group[0] ?? "");
      if (group.length === 1) report(digest, namingValue(digest, error));
      else groups.push(group.slice(half), group.slice(0, half));
    }
    for (const [index, value] of values.entries()) yield [group[index] ?? "", value];
  }
}

/** A damaged bundle does not know which of its values was asked for. */
function namingValue(digest: string, error: CheckpointError): CheckpointError {
  if (error.message.includes(digest)) return error;
  const message = `The stored value ${digest} cannot be read. ${error.message}`;
  return new CheckpointError(error.code, message, { cause: error });
}

/** Returns true for an error that says what is damaged or missing, and not for one of the connection. Pure. */
export function isDamage(error: unknown): error is CheckpointError {
  return CheckpointError.isInstance(error) && (error.code === "corrupt" || error.code === "missing-blob");
}
