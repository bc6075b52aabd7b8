import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { tokenCounterFrom } from "./token-counter.js";

/**
 * A {@link TokenCounter} with OpenAI's o200k vocabulary: exact for the texts that it counts.
 *
 * Needs the optional peer `gpt-tokenizer`. Text that looks like a special token is counted as text.
 */
export const countWithGptTokenizer = tokenCounterFrom((text) =>
  countTokens(text, { disallowedSpecial: new Set() }),
);
