import { CheckpointError } from "../checkpoint-error.js";
import type { Unpacked } from "../codec/packing/unpacked.js";
import type { Engine } from "../engine.js";
import { loadBlobs } from "./load-blobs.js";

interface BlobSource {
  readonly engine: Pick<Engine, "blobs" | "open">;
  readonly threadId: string;
  readonly report: (digest: string, error: Error) => void;
}

const perLoad = 256;

/**
 * Yields the values that can be read, each with its index. Splits a group with a damaged value in halves until that value is
 * alone.
 */
export async function* readableBlobs(
  { engine, threadId, report }: BlobSource,
  digests: readonly string[],
): AsyncGenerator<readonly [index: number, value: Unpacked]> {
  const groups: { readonly start: number; readonly end: number }[] = [];
  for (let end = digests.length; end > 0; end -= perLoad)
    groups.push({ start: Math.max(0, end - perLoad), end });
  for (let group = groups.pop(); group; group = groups.pop()) {
    const { start, end } = group;
    let values: readonly Unpacked[] = [];
    try {
      values = await loadBlobs(engine, threadId, digests.slice(start, end));
    } catch (error) {
      if (!isDamage(error)) throw error;
      const middle = Math.ceil((start + end) / 2);
      const digest = digests[start] ?? "";
      if (end - start === 1) report(digest, namingValue(digest, error));
      else groups.push({ start: middle, end }, { start, end: middle });
    }
    for (const [index, value] of values.entries()) yield [start + index, value];
  }
}

/** Returns the error with the digest of the value, because a damaged bundle does not know which of its values was requested. */
function namingValue(digest: string, error: CheckpointError): CheckpointError {
  if (error.message.includes(digest)) return error;
  const message = `The stored value ${digest} cannot be read. ${error.message}`;
  return new CheckpointError(error.code, message, { cause: error });
}

/** Returns true for an error about a damaged or missing part, false for one of the connection. Pure. */
export function isDamage(error: unknown): error is CheckpointError {
  return CheckpointError.isInstance(error) && (error.code === "corrupt" || error.code === "missing-blob");
}
