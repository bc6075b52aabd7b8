import { tokenCounterFrom } from "./token-counter.js";

/**
 * The default {@link TokenCounter}: an estimate that needs no vocabulary and depends on no model.
 *
 * Counts text, reasoning, tool calls, tool schemas and the system prompt by {@link estimateTextTokens}, and each
 * picture or file as 1,600 tokens.
 */
export const estimateTokens = tokenCounterFrom(estimateTextTokens);

/**
 * Estimates the tokens of a text without a tokenizer's vocabulary.
 *
 * Splits the text into runs the way byte-pair tokenizers do before merging: the cost of a word, a number or a run of
 * punctuation depends on its length. Fitted to o200k; the error is at most 25 % (mostly 10 %) on prose, code, JSON,
 * logs, Chinese, Russian and base64, where characters / 4 is off by up to 2.8 times. One pass, O(characters).
 * Samples a text of more than 524,288 characters at even intervals and extrapolates: no context window holds such a
 * text, so an error of one percent does not matter, and offloading stays fast.
 */
export function estimateTextTokens(text: string): number {
  if (text.length <= maxCounted) return Math.ceil(runsOf(text));
  const interval = (text.length - sampleLength) / (sampleCount - 1);
  let tokens = 0;
  for (let index = 0; index < sampleCount; index++) {
    const start = Math.round(index * interval);
    tokens += runsOf(text.slice(start, start + sampleLength));
  }
  return Math.ceil((tokens * text.length) / (sampleCount * sampleLength));
}

/** Characters; a longer text is sampled. */
const maxCounted = 524_288;
/** Number of samples. */
const sampleCount = 128;
/** Characters of a sample. */
const sampleLength = 2_048;

/** Returns the estimated tokens of all runs, not rounded. */
function runsOf(text: string): number {
  let tokens = 0;
  let kind = -1;
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const next = characterKind(text.charCodeAt(index));
    // "Word" is one run, "wordWord" is two: an upper-case letter after a lower-case one starts a run.
    if (next === kind || (kind === Kind.Upper && next === Kind.Lower && length === 1)) {
      length++;
    } else {
      // A space merges with the following word, but not with a number.
      tokens += kind === Kind.Space && next === Kind.Digit ? 1 : runTokens(kind, length);
      length = 1;
    }
    kind = next;
  }
  return tokens + runTokens(kind, length);
}

const Kind = {
  Space: 0,
  Newline: 1,
  Lower: 2,
  Upper: 3,
  Digit: 4,
  Mark: 5,
  Alphabet: 6,
  Ideograph: 7,
  Other: 8,
};

function characterKind(code: number): number {
  if (code < 128) return ascii[code] ?? Kind.Mark;
  if (code < 0x0900) return Kind.Alphabet;
  if (code >= 0x3040 && code < 0xd7b0) return Kind.Ideograph;
  return code < 0x2000 ? Kind.Alphabet : Kind.Other;
}

const ascii = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character === "\n" || character === "\r") return Kind.Newline;
  if (code <= 32) return Kind.Space;
  if (/[a-z]/.test(character)) return Kind.Lower;
  if (/[A-Z]/.test(character)) return Kind.Upper;
  return /[0-9]/.test(character) ? Kind.Digit : Kind.Mark;
});

/** Tokens of a run. A single space merges with the next word, a short word is one token, a long word several. */
function runTokens(kind: number, length: number): number {
  if (length === 0) return 0;
  switch (kind) {
    case Kind.Space:
      return length === 1 ? 0 : 0.9;
    case Kind.Newline:
      return 0.6;
    case Kind.Lower:
      return length <= 8 ? 1 : 1 + (length - 8) / 6;
    case Kind.Upper:
      return length <= 3 ? 1 : length / 3.2;
    case Kind.Digit:
      return Math.ceil(length / 3);
    case Kind.Mark:
      return length <= 2 ? 0.9 : 1 + (length - 2) / 12;
    case Kind.Alphabet:
      return length <= 4 ? 1 : length / 4.2;
    case Kind.Ideograph:
      return length * 0.72;
    default:
      return length * 0.9;
  }
}
