import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { fileDigest } from "../../codec/node.js";
import type { ReadTuple } from "./rewrite-thread.js";

/** What the values of a thread lead to. */
export interface Gathered {
  /** Digests of the contents of workspace files. */
  readonly files: ReadonlySet<string>;
  /** Originals that state holds because the archive could not be written, by their path in it. */
  readonly held: ReadonlyMap<string, string>;
}

/** Looks through all values of checkpoints and writes. Successive checkpoints share objects, and each is looked at once. */
export async function gather(tuples: AsyncIterable<ReadTuple>): Promise<Gathered> {
  const gathered = { files: new Set<string>(), held: new Map<string, string>() };
  const seen = new WeakSet<object>();
  for await (const { tuple } of tuples) gatherFrom(tuple, gathered, seen);
  return gathered;
}

function gatherFrom(
  { checkpoint, metadata, pendingWrites = [] }: CheckpointTuple,
  { files, held }: { readonly files: Set<string>; readonly held: Map<string, string> },
  seen: WeakSet<object>,
): void {
  const open: unknown[] = [checkpoint.channel_values, metadata, ...pendingWrites];
  while (open.length > 0) {
    const value = open.pop();
    if (!isNew(value, seen)) continue;
    const digest = fileDigest(value);
    if (digest !== undefined) files.add(digest);
    if ("held" in value) for (const { path, content } of heldIn(value.held)) held.set(path, content);
    for (const part of partsOf(value)) open.push(part);
  }
}

/** True for an object that may have parts and was not looked at before. */
function isNew(value: unknown, seen: WeakSet<object>): value is object {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || seen.has(value))
    return false;
  seen.add(value);
  return true;
}

function partsOf(value: object): readonly unknown[] {
  if (value instanceof Map) return [...value].flat();
  return value instanceof Set ? [...value] : Object.values(value);
}

function heldIn(held: unknown): readonly { readonly path: string; readonly content: string }[] {
  return Array.isArray(held)
    ? held.filter((one) => typeof one?.path === "string" && typeof one?.content === "string")
    : [];
}
