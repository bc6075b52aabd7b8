import { isUtf8 } from "node:buffer";
import { snapToCharacter } from "./snap-to-character.js";

/** Returns true when the bytes hold a NUL and are not UTF-8. Pure. A character cut off at the end does not count. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.includes(0) && !isUtf8(bytes.subarray(0, lastWhole(bytes)));
}

function lastWhole(bytes: Uint8Array): number {
  const lead = snapToCharacter(bytes, bytes.length - 1);
  const width = characterWidth(bytes[lead] ?? 0);
  return lead + width > bytes.length ? Math.max(lead, 0) : bytes.length;
}

function characterWidth(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
