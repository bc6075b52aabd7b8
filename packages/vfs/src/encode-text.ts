import { FileError } from "./file-error.js";
import { showValue } from "./show-value.js";

const encoder = new TextEncoder();

/**
 * Returns the UTF-8 bytes of a text. Pure.
 * Throws a FileError "not-utf8" for a lone surrogate: UTF-8 has no bytes for it, and a replacement would lose it.
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
      `The content for ${path} has a lone surrogate at character ${at}, which UTF-8 cannot hold. ` +
        "Remove it, or store the text as JSON.",
    );
  }
  return encoder.encode(text);
}
