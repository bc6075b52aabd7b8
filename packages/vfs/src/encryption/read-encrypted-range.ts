import type { ByteRange, FileDriver } from "../drivers/file-driver.js";
import type { ContentKey } from "./content-key.js";
import { contentSize, decryptChunks, fileHeadSize, fileStart, storedRange } from "./encrypted-content.js";

export interface ReadEncryptedOptions {
  readonly range: ByteRange;
  /** Returns the key of a content, from its head. */
  readonly keyOf: (head: Uint8Array) => Promise<ContentKey>;
  /** What the content was encrypted as. */
  readonly place: string;
}

/**
 * Returns a range of the content of an encrypted file, of which it reads the head and the chunks of the range; undefined when there
 * is no file. Throws a FileError "corrupt", and what `keyOf` throws.
 */
export async function readEncryptedRange(
  driver: FileDriver,
  path: string,
  { range, keyOf, place }: ReadEncryptedOptions,
): Promise<Uint8Array | undefined> {
  const entry = await driver.stat(path);
  if (!entry) return undefined;
  const size = contentSize(entry.size, fileHeadSize);
  const start = Math.min(Math.max(0, range.start), size);
  const end = Math.min(Math.max(start, range.end), size);
  const part = storedRange({ start, end }, fileHeadSize);
  const [head, chunks] = await Promise.all([
    driver.read(path, { start: 0, end: fileStart }),
    driver.read(path, part),
  ]);
  if (!head || !chunks) return undefined;
  const read = { start, end, size, from: part.from };
  return decryptChunks(chunks, { head, key: await keyOf(head), place, chunks: read });
}
