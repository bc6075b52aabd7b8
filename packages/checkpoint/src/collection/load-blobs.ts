import { CheckpointError } from "../checkpoint-error.js";
import { unpackStored } from "../codec/packing/bundle.js";
import type { Stored } from "../codec/packing/bundle.js";
import { unpackAll } from "../codec/packing/unpack-all.js";
import type { Unpacked } from "../codec/packing/unpacked.js";
import { digestOf } from "../codec/reference.js";
import type { Engine } from "../engine.js";

/**
 * Returns the values with these digests, in their order, after checking their bytes. Throws a CheckpointError "missing-blob" or
 * "corrupt" for the first that cannot be read, "missing-key" for one whose key is not there.
 */
export async function loadBlobs(
  engine: Pick<Engine, "blobs" | "open">,
  threadId: string,
  digests: readonly string[],
): Promise<readonly Unpacked[]> {
  const packed = await engine.blobs(threadId, digests);
  const found = digests.map((digest) => present(digest, packed.get(digest)));
  const unpacked = await unpackAll(found);
  for (const [index, value] of unpacked.entries()) {
    if (!value.isChecked) check(digests[index] ?? "", value.bytes);
  }
  return engine.open?.(unpacked) ?? unpacked;
}

/** Returns the bytes of a value after checking them. Throws a CheckpointError "missing-blob" or "corrupt". Pure. */
export function checkedBytes(digest: string, stored: Stored | undefined): Buffer {
  const bytes = unpackStored(present(digest, stored));
  check(digest, bytes);
  return bytes;
}

/** Returns a stored value. Throws a CheckpointError "missing-blob" if there is none. Pure. */
export function present(digest: string, stored: Stored | undefined): Stored {
  if (stored) return stored;
  throw new CheckpointError(
    "missing-blob",
    `The stored value ${digest} is missing. Restore the database from a copy.`,
  );
}

function check(digest: string, bytes: Buffer): void {
  if (digestOf(bytes) === digest) return;
  throw new CheckpointError(
    "corrupt",
    `The stored value ${digest} is damaged: its bytes changed. Restore the database from a copy.`,
  );
}
