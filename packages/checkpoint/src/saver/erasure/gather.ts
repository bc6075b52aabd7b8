import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { fileDigest } from "../../codec/node.js";

/** What the values of a thread lead to. */
export interface Gathered {
  /** Digests of the contents of workspace files. */
  readonly files: ReadonlySet<string>;
  /** Originals that state holds because the archive could not be written, by their path in it. */
  readonly held: ReadonlyMap<string, string>;
}

/** Looks through all values of checkpoints and writes. Successive checkpoints share objects, and each is looked at once. Pure. */
export function gather(tuples: readonly CheckpointTuple[]): Gathered {
  const files = new Set<string>();
  const held = new Map<string, string>();
  const seen = new Set<object>();
  const open: unknown[] = tuples.flatMap(({ checkpoint, metadata, pendingWrites = [] }) => [
    checkpoint.channel_values,
    metadata,
    ...pendingWrites.map(([, , value]) => value),
  ]);
  for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
    if (typeof value !== "object" || value === null || value instanceof Uint8Array || seen.has(value))
      continue;
    seen.add(value);
    const digest = fileDigest(value);
    if (digest !== undefined) files.add(digest);
    if ("held" in value) for (const { path, content } of heldIn(value.held)) held.set(path, content);
    open.push(...partsOf(value));
  }
  return { files, held };
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
