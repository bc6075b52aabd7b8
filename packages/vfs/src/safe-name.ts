import { hashText } from "./hash-text.js";

const maxBytes = 80;
const hashLength = 16;
const plain = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
/** A plain text that ends like one of our own suffixes gets a suffix too: it could otherwise meet the name of another text. */
const suffixed = /-[0-9a-f]{16}$/;
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns a file name of at most 80 bytes of ASCII that every filesystem takes. Pure.
 * A harmless text stays as it is; any other is cleaned, cut and given a hash of the whole, so that distinct texts stay distinct.
 */
export function safeName(text: string): string {
  if (isSafe(text)) return text;
  const readable = text
    .slice(0, maxBytes)
    .replace(/[^A-Za-z0-9.-]+/g, "_")
    .replace(/^[.-]+/, "_")
    .slice(0, maxBytes - hashLength - 1);
  return `${readable || "_"}-${hashText(text, hashLength)}`;
}

function isSafe(text: string): boolean {
  return (
    text.length <= maxBytes &&
    plain.test(text) &&
    !text.endsWith(".") &&
    !suffixed.test(text) &&
    !reserved.test(text)
  );
}
