import { HumanMessage } from "@langchain/core/messages";
import { userConstraints } from "../summary/user-constraints.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface HeadAndTailOptions {
  /** Tokens that the result may take. */
  readonly tokens: number;
  /** Archive path of the whole text, which the result names. */
  readonly path: string;
  readonly tokenCounter: TokenCounter;
}

/** Share of the kept text that comes from its beginning. */
const headShare = 0.6;
/** Share of the tokens that the rules of the part left out may take. */
const ruleShare = 0.3;

/**
 * Returns the beginning and the end of a text that is too long to send, with the rules that stand between them word for
 * word and the path of the whole between the two.
 *
 * Takes at most `tokens`, counted as a message of its own, unless the notice alone takes more. Pure, deterministic,
 * O(characters * log(characters)).
 */
export function headAndTail(text: string, { tokens, path, tokenCounter }: HeadAndTailOptions): string {
  const count = (one: string) => tokenCounter([new HumanMessage(one)]);
  const rules = userConstraints([new HumanMessage(text)]);
  const shorten = (kept: number): string => {
    const head = text.slice(0, wholeCharacter(text, Math.ceil(kept * headShare)));
    const tail = text.slice(wholeCharacter(text, text.length - Math.floor(kept * (1 - headShare))));
    const isHidden = (rule: string) => !head.includes(rule) && !tail.includes(rule);
    const listed = fitting(rules, ruleShare * tokens, { count, isHidden });
    const notice = `[${text.length - head.length - tail.length} characters left out here. Whole text: ${path}]`;
    const said = listed.length === 0 ? [] : ["[Rules in the part left out, word for word:]", ...listed];
    return [head, notice, ...said, tail].filter((part) => part !== "").join("\n");
  };
  let least = 0;
  let most = text.length - 1;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (count(shorten(middle)) <= tokens) least = middle;
    else most = middle - 1;
  }
  return shorten(least);
}

interface RuleChecks {
  readonly count: (text: string) => number;
  readonly isHidden: (rule: string) => boolean;
}

/** Returns the first hidden rules that fit together. Stops at the first that does not: a log has thousands. */
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

/** The nearest place before `at` that does not part the two halves of a character. */
function wholeCharacter(text: string, at: number): number {
  const parts = at > 0 && at < text.length && /[\uDC00-\uDFFF]/.test(text.charAt(at));
  return parts && /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at;
}
