import type { ReadBytesResult } from "./backend.js";
import { decodeText } from "./decode-text.js";
import type { ByteRange, DriverEntry, FileDriver } from "./file-driver.js";
import { FileError } from "./file-error.js";
import { nextCharacter, snapToCharacter } from "./snap-to-character.js";

const margin = 4;

/**
 * Returns the text of a byte range, both ends moved back to where a character begins, and where it really lies.
 * A range inside one character gives that character. Throws a FileError "invalid-path" for a range that is none.
 */
export async function pageBytes(
  driver: FileDriver,
  entry: DriverEntry,
  range: ByteRange,
): Promise<Required<Pick<ReadBytesResult, "content" | "range" | "size">>> {
  checkRange(entry, range);
  const base = Math.max(0, range.start - margin);
  const bytes = (await driver.read(entry.path, { start: base, end: range.end + margin })) ?? new Uint8Array();
  const start = snapToCharacter(bytes, Math.min(range.start - base, bytes.length));
  const wanted = Math.min(range.end - base, bytes.length);
  const snapped = snapToCharacter(bytes, wanted);
  const end = snapped > start || wanted <= start ? Math.max(snapped, start) : nextCharacter(bytes, start);
  return {
    content: decodeText(bytes.subarray(start, end)),
    range: { start: base + start, end: base + end },
    size: entry.size,
  };
}

function checkRange({ path, size }: DriverEntry, range: ByteRange): void {
  const { start, end } = range ?? {};
  if (Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && start <= size) return;
  throw new FileError(
    "invalid-path",
    `${start} to ${end} is not a byte range of ${path}, which has ${size} bytes. Use whole numbers, start before end.`,
  );
}
