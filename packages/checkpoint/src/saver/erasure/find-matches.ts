import type { VirtualFilesystem } from "@palimpsest/vfs";
import { threadDirectory } from "@palimpsest/vfs/internal";
import { loadBlobs } from "../../collection/load-blobs.js";
import { reachAll, rootsOf, treesOf, tuplesOf } from "../../collection/reach.js";
import type { Node } from "../../codec/node.js";
import type { Engine } from "../../engine.js";
import type { Redaction } from "./redaction.js";

const blobsAtOnce = 256;

interface Storage {
  readonly engine: Engine;
  readonly files: VirtualFilesystem;
}

/** Returns true if anything stored of a thread holds a match. Decodes nothing, and reads each stored value once. */
export async function holdsMatch(storage: Storage, threadId: string, redaction: Redaction): Promise<boolean> {
  for await (const text of filesOf(storage, threadId)) if (isHit(text, redaction)) return true;
  const roots = rootsOf(await tuplesOf(storage.engine, threadId));
  return doReach(storage, { threadId, roots }, redaction);
}

/** Values of a thread. */
export interface Roots {
  readonly threadId: string;
  readonly roots: readonly Node[];
}

/** Returns true if values, or stored values that they need, hold a match. */
export async function doReach(storage: Storage, from: Roots, redaction: Redaction): Promise<boolean> {
  for await (const stored of valuesOf(storage, from)) if (isHit(stored, redaction)) return true;
  return false;
}

function isHit(stored: string | Uint8Array, redaction: Redaction): boolean {
  return typeof stored === "string" ? redaction.text(stored) !== stored : redaction.bytes(stored) !== stored;
}

/** Returns the values of writes whose checkpoint is not stored, by thread. */
export async function earlyIn({ engine }: Storage): Promise<ReadonlyMap<string, readonly Node[]>> {
  const early = new Map<string, Node[]>();
  for await (const { threadId, value } of engine.early()) {
    const known = early.get(threadId);
    if (known) known.push(value);
    else early.set(threadId, [value]);
  }
  return early;
}

/** Yields the path and the content of each file in the directory of a thread. */
async function* filesOf(
  { files: { driver } }: Storage,
  threadId: string,
): AsyncGenerator<string | Uint8Array> {
  for await (const { path } of driver.list(threadDirectory(threadId))) {
    yield path;
    const bytes = await driver.read(path);
    if (bytes !== undefined) yield bytes;
  }
}

/** Yields nodes and the values that they need, and the contents of workspace files. */
async function* valuesOf(
  { engine, files }: Storage,
  { threadId, roots }: Roots,
): AsyncGenerator<string | Uint8Array> {
  for (const node of roots) yield JSON.stringify(node) ?? "";
  const reached = await reachAll(roots, treesOf(engine, threadId));
  const digests = [...reached.blobs];
  for (let at = 0; at < digests.length; at += blobsAtOnce)
    for (const { bytes } of await loadBlobs(engine, threadId, digests.slice(at, at + blobsAtOnce)))
      yield bytes;
  for (const digest of reached.files) if (await files.blobs.has(digest)) yield await files.blobs.get(digest);
}
