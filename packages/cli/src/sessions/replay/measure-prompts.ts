import type { BaseMessage } from "@langchain/core/messages";
import { estimateTokens, type Prices } from "@palimpsest/context";
import type { Needs } from "./needs.js";

/** What the prompts of one policy came to. */
export interface Measured {
  readonly policy: string;
  readonly prompts: number;
  /** Tokens of the largest prompt. */
  readonly largest: number;
  /** Prompts larger than the window. */
  readonly over: number;
  /** Tokens of all prompts together, and how many of them the prompt before had in the same place. */
  readonly sent: number;
  readonly cached: number;
  /** Tokens of answers and of summaries. */
  readonly generated: number;
  /** The bill at the prices. */
  readonly bill: number;
  /** What the calls of the answers use of earlier messages, and how much of it stood in the prompt. */
  readonly needed: number;
  readonly had: number;
  /** Tokens that the agent would have to read again for what was missing. */
  readonly rework: number;
}

export interface MeasureOptions {
  readonly policy: string;
  readonly window: number;
  /** Tokens of the system prompt and of tools, in every prompt. */
  readonly overhead: number;
  readonly needs: Needs;
  readonly prices: Prices;
}

const tokensOf = new WeakMap<BaseMessage, number>();

function tokens(message: BaseMessage): number {
  const known = tokensOf.get(message) ?? estimateTokens([message]);
  tokensOf.set(message, known);
  return known;
}

/** Adds up the prompts of a policy. */
export class PromptMeter {
  readonly #options: MeasureOptions;
  #last: readonly BaseMessage[] = [];
  #sum = { prompts: 0, largest: 0, over: 0, sent: 0, cached: 0, generated: 0, needed: 0, had: 0, rework: 0 };
  #seen = new Set<string>();

  constructor(options: MeasureOptions) {
    this.#options = options;
  }

  add(answer: BaseMessage, prompt: readonly BaseMessage[]): void {
    const { overhead, window, needs } = this.#options;
    const size = prompt.reduce((sum, message) => sum + tokens(message), overhead);
    const end = prompt.findIndex((message, at) => message !== this.#last[at]);
    const shared = prompt
      .slice(0, end < 0 ? prompt.length : end)
      .reduce((sum, message) => sum + tokens(message), 0);
    const sum = this.#sum;
    sum.cached += sum.prompts === 0 ? 0 : shared + overhead;
    sum.prompts += 1;
    sum.sent += size;
    sum.largest = Math.max(sum.largest, size);
    sum.over += size > window ? 1 : 0;
    sum.generated += tokens(answer);
    this.#last = prompt;
    const needed = needs.of(answer);
    const missing = needs.missing(needed, prompt);
    sum.needed += needed.length;
    sum.had += needed.length - missing.length;
    // What was read again once is in the context from then on.
    for (const { atom, tokens: size } of missing) if (!this.#seen.has(atom)) sum.rework += size;
    for (const { atom } of missing) this.#seen.add(atom);
  }

  /** Adds calls that wrote a summary. Their prompts were in the cache. */
  result(summaries: readonly { readonly read: number; readonly written: number }[] = []): Measured {
    const { policy, prices } = this.#options;
    const read = summaries.reduce((sum, one) => sum + one.read, 0);
    const written = summaries.reduce((sum, one) => sum + one.written, 0);
    const { input, cachedInput, cacheWrite = input, output } = prices;
    const { sent, cached, rework, ...sum } = this.#sum;
    const generated = sum.generated + written;
    const bill =
      ((sent - cached) * cacheWrite + (cached + read) * cachedInput + generated * output + rework * input) /
      1_000_000;
    return { policy, ...sum, sent, cached, generated, rework, bill };
  }
}
