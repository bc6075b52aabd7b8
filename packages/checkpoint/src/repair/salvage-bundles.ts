import { constants, createInflateRaw } from "node:zlib";
import { dictionaryOf, flushed, headerSize } from "../codec/packing/pack.js";
import { bundleHead, memberSizes } from "../codec/packing/bundle.js";
import { blobColumn, bytesOf } from "../engines/libsql/columns.js";
import type { LibsqlDatabase } from "../engines/libsql/libsql-database.js";

/**
 * Yields everything that can still be unpacked of each bundle, cut at the ends of its values. A damaged bundle also yields
 * wrong values: the caller compares each with a digest.
 */
export async function* salvageBundles(database: LibsqlDatabase): AsyncGenerator<Buffer> {
  const hasTable = database.get("SELECT count(*) AS tables FROM sqlite_master WHERE name = 'bundles'");
  if (hasTable?.["tables"] !== 1) return;
  const ids = database.all("SELECT id FROM bundles").map(({ id }) => Number(id));
  for (const id of ids) {
    const row = database.get(`SELECT ${blobColumn("data")} FROM bundles WHERE id = ?`, id);
    const data = Buffer.from(bytesOf(row?.["data"]));
    const sizes = memberSizes(data);
    const bytes = await inflateSome(data.subarray(bundleHead(sizes.length)));
    let start = 0;
    for (const size of sizes) {
      yield bytes.subarray(start, start + size);
      start += size;
    }
  }
}

/** Returns the bytes that can be inflated before the damage. */
async function inflateSome(packed: Buffer): Promise<Buffer> {
  let dictionary: Buffer | undefined;
  try {
    dictionary = dictionaryOf(packed);
  } catch {
    return Buffer.alloc(0);
  }
  if (!dictionary) return packed.subarray(1);
  const parts: Buffer[] = [];
  const stream = createInflateRaw({ dictionary, finishFlush: constants.Z_SYNC_FLUSH });
  stream.end(Buffer.concat([packed.subarray(headerSize), flushed]));
  try {
    for await (const part of stream) parts.push(part as Buffer);
  } catch {
    // Keep the bytes that were inflated before the damage.
  }
  return Buffer.concat(parts);
}
