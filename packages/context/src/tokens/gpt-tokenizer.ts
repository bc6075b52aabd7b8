import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { tokenCounterFrom } from "./token-counter.js";

/**
 * A {@link TokenCounter} with OpenAI's o200k vocabulary. Counts texts exactly.
 *
 * Requires the optional peer dependency `gpt-tokenizer`. Counts text that looks like a special token as text.
 */
// A token has at least one byte, and a UTF-16 unit at most three.
export const countWithGptTokenizer = tokenCounterFrom(
  (text) => countTokens(text, { disallowedSpecial: new Set() }),
  3,
);
