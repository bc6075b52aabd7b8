const longestTail = 3;

/**
 * Returns the index at or before `index` where a UTF-8 character begins. Pure.
 * In bytes that are not UTF-8, where no beginning is near, it returns `index`.
 */
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
