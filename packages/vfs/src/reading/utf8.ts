import { isUtf8 } from "node:buffer";
import { FileError, showValue } from "../errors.js";

const encoder = new TextEncoder();

/**
 * Returns the UTF-8 bytes of a text. Pure.
 * Throws a FileError "not-utf8" for a lone surrogate, which UTF-8 cannot encode and a replacement character would lose.
 */
export function encodeText(text: string, path: string): Uint8Array {
  if (typeof text !== "string") {
    throw new FileError(
      "not-utf8",
      `The content for ${path} is ${showValue(text)}, not text. Pass a string.`,
    );
  }
  if (!text.isWellFormed()) {
    const at = text.search(/\p{Surrogate}/u);
    throw new FileError(
      "not-utf8",
      `The content for ${path} has a lone surrogate at character ${at}, which UTF-8 cannot encode. ` +
        "Remove it, or store the text as JSON.",
    );
  }
  return encoder.encode(text);
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns bytes as UTF-8 text, with U+FFFD for invalid bytes. Keeps a byte order mark. Pure. */
export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

const longestTail = 3;

/** Returns the index at or before `index` where a UTF-8 character begins; `index` itself in bytes that are not UTF-8. Pure. */
export function snapToCharacter(bytes: Uint8Array, index: number): number {
  for (let at = index; at >= 0 && at >= index - longestTail; at--) {
    if (!isContinuation(bytes[at])) return at;
  }
  return index;
}

/** Returns the index after the character that begins at `index`. Pure. */
export function nextCharacter(bytes: Uint8Array, index: number): number {
  let at = index + 1;
  while (at < bytes.length && at <= index + longestTail && isContinuation(bytes[at])) at++;
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Returns true when the bytes contain a NUL and are not UTF-8. Ignores a character that the end cuts off. Pure. */
export function isBinary(bytes: Uint8Array): boolean {
  // A Buffer looks for a byte much faster than the array that it is.
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return view.includes(0) && !isUtf8(bytes.subarray(0, lastWhole(bytes)));
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
