import { CheckpointError } from "../checkpoint-error.js";
import { unpackAll } from "../codec/packing/unpack-all.js";
import type { Unpacked } from "../codec/packing/unpacked.js";
import { digestOf } from "../codec/reference.js";
import type { Engine } from "../engine.js";

/**
 * Returns the values with these digests, in their order, after checking their bytes. Throws a CheckpointError "missing-blob" or
 * "corrupt" for the first that is not there.
 */
export async function loadBlobs(
  engine: Pick<Engine, "blobs">,
  threadId: string,
  digests: readonly string[],
): Promise<readonly Unpacked[]> {
  const packed = await engine.blobs(threadId, digests);
  const found = digests.map((digest) => {
    const bytes = packed.get(digest);
    if (bytes) return bytes;
    throw new CheckpointError(
      "missing-blob",
      `The stored value ${digest} is missing. Restore the database from a copy.`,
    );
  });
  const unpacked = await unpackAll(found);
  for (const [index, value] of unpacked.entries()) {
    if (!value.isChecked) check(digests[index] ?? "", value.bytes);
  }
  return unpacked;
}

function check(digest: string, bytes: Buffer): void {
  if (digestOf(bytes) === digest) return;
  throw new CheckpointError(
    "corrupt",
    `The stored value ${digest} is damaged: its bytes changed. Restore the database from a copy.`,
  );
}
