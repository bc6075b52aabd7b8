import { HumanMessage } from "@langchain/core/messages";
import { userConstraints } from "../summary/user-constraints.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface HeadAndTailOptions {
  /** Maximum tokens of the result. */
  readonly tokens: number;
  /** Archive path of the whole text; part of the result. */
  readonly path: string;
  readonly tokenCounter: TokenCounter;
}

/** Share of the kept characters that come from the beginning. */
const headShare = 0.6;
/** Maximum share of the tokens for rules from the omitted part. */
const ruleShare = 0.3;

/**
 * Shortens a text that is too long to send to its beginning and its end, with the path of the whole text and the rules
 * of the omitted part, verbatim, between them.
 *
 * The result has at most `tokens`, counted as a separate message, unless the notice alone has more. Pure,
 * deterministic, O(characters * log(characters)).
 */
export function headAndTail(text: string, { tokens, path, tokenCounter }: HeadAndTailOptions): string {
  const count = (one: string) => tokenCounter([new HumanMessage(one)]);
  // Beside files that are too large, it may be short.
  if (text.length <= tokens && count(text) <= tokens) return text;
  const rules = userConstraints([new HumanMessage(text)]);
  const shorten = (kept: number): string => {
    const head = text.slice(0, wholeCharacter(text, Math.ceil(kept * headShare)));
    const tail = text.slice(wholeCharacter(text, text.length - Math.floor(kept * (1 - headShare))));
    const isHidden = (rule: string) => !head.includes(rule) && !tail.includes(rule);
    const listed = fitting(rules, ruleShare * tokens, { count, isHidden });
    const notice = `[${text.length - head.length - tail.length} characters left out here. Whole text: ${path}]`;
    const section = listed.length === 0 ? [] : ["[Rules in the part left out, word for word:]", ...listed];
    return [head, notice, ...section, tail].filter((part) => part !== "").join("\n");
  };
  // Binary search for the largest number of characters that fits.
  let low = 0;
  let high = text.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (count(shorten(middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  return shorten(low);
}

interface RuleChecks {
  readonly count: (text: string) => number;
  readonly isHidden: (rule: string) => boolean;
}

/** Returns the leading hidden rules that fit. Stops at the first that does not fit, because a log can have thousands. */
function fitting(
  rules: readonly string[],
  tokens: number,
  { count, isHidden }: RuleChecks,
): readonly string[] {
  const listed: string[] = [];
  let left = tokens;
  for (const rule of rules) {
    if (!isHidden(rule)) continue;
    left -= count(rule);
    if (left < 0) break;
    listed.push(`- ${rule}`);
  }
  return listed;
}

/** Returns `at`, or the index before it when `at` would split a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const isLowSurrogate = at > 0 && at < text.length && /[\uDC00-\uDFFF]/.test(text.charAt(at));
  return isLowSurrogate && /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at;
}
