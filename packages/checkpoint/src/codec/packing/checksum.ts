import { crc32 } from "node:zlib";
import { damaged } from "./pack.js";

/** The first byte of checksummed bytes. Differs in two bits or more from every mark of `pack`: one flipped bit makes no other. */
const checksumMark = 0x0c;
const headSize = 5;

/**
 * The key of the bytes, such as the thread and the id of a checkpoint. The checksum covers it, so that bytes of another place
 * do not pass.
 */
export type Place = readonly (string | number | null)[];

/** Returns packed bytes with a checksum of their place and themselves before them. Pure. */
export function checksummed(packed: Uint8Array, place: Place): Buffer {
  const whole = Buffer.allocUnsafe(headSize + packed.length);
  whole.writeUInt8(checksumMark, 0);
  whole.writeUInt32LE(checksumOf(place, packed), 1);
  whole.set(packed, headSize);
  return whole;
}

/** Returns the packed bytes after checking them. Throws a CheckpointError "corrupt". Pure. */
export function verified(bytes: Uint8Array, place: Place): Uint8Array {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const packed = whole.subarray(headSize);
  const isMarked = bytes[0] === checksumMark && whole.length > headSize;
  if (!isMarked || whole.readUInt32LE(1) !== checksumOf(place, packed)) throw damaged();
  return packed;
}

/** Returns the CRC-32 of a place and bytes. It finds every change of up to three bits in a value of less than 11 KB. Pure. */
export function checksumOf(place: Place, bytes: Uint8Array | string = ""): number {
  return crc32(bytes, crc32(JSON.stringify(place)));
}
