/** Characters that are made of bytes with one call: a call takes a limited number of arguments. */
const charactersAtOnce = 8192;

/** Returns bytes as base64, in every runtime. */
export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += charactersAtOnce)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + charactersAtOnce)));
  return btoa(parts.join(""));
}

/** Returns the bytes of a base64 text, in a buffer of their own. Throws for text that is none. */
export function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  const characters = atob(base64);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at);
  return bytes;
}
