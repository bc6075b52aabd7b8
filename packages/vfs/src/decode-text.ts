const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns UTF-8 bytes as text, with U+FFFD for what is not UTF-8. Pure; a byte order mark stays. */
export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
