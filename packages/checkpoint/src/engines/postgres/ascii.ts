const escape = 0x7f;
const escapedZero = 1;
const escapedEscape = 2;

/**
 * Returns bytes as text of single-byte characters, seven bits in each: an eighth longer than the bytes, where base64 is a
 * third longer. JSONB holds every one of them but the zero, which stands behind an escape, as the escape does. Pure.
 */
export function toAscii(bytes: Uint8Array): string {
  const text = Buffer.allocUnsafe(2 * Math.ceil((bytes.length * 8) / 7));
  let length = 0;
  let bits = 0;
  let held = 0;
  const add = (code: number): void => {
    const isEscaped = code === 0 || code === escape;
    if (isEscaped) text[length++] = escape;
    text[length++] = isEscaped ? (code === 0 ? escapedZero : escapedEscape) : code;
  };
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    for (; bits >= 7; bits -= 7) add((held >> (bits - 7)) & 0x7f);
    held &= (1 << bits) - 1;
  }
  if (bits > 0) add(held << (7 - bits));
  return text.toString("latin1", 0, length);
}

/** Returns the bytes that `toAscii` was given. Pure. */
export function fromAscii(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(Math.floor((text.length * 7) / 8));
  let length = 0;
  let bits = 0;
  let held = 0;
  let isEscaped = false;
  for (const code of Buffer.from(text, "latin1")) {
    if (!isEscaped && code === escape) {
      isEscaped = true;
      continue;
    }
    held = (held << 7) | (isEscaped ? (code === escapedZero ? 0 : escape) : code);
    isEscaped = false;
    bits += 7;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = held >> bits;
    held &= (1 << bits) - 1;
  }
  return bytes.subarray(0, length);
}
