import type { BaseMessage } from "@langchain/core/messages";
import { ContextError, estimateTokens, type TokenCounter } from "@palimpsest/context";
import { shownValue } from "./fields.js";

/** A counter that may return a promise, like LangChain's: a tokenizer that has to be loaded, or an API of the provider. */
export interface AnyTokenCounter extends Pick<TokenCounter, "maxPerCharacter"> {
  (...input: Parameters<TokenCounter>): ReturnType<TokenCounter> | Promise<ReturnType<TokenCounter>>;
}

type CountAhead = (messages: readonly BaseMessage[]) => Promise<unknown>;

const counters = new WeakMap<AnyTokenCounter, TokenCounter>();
const aheads = new WeakMap<TokenCounter, CountAhead>();

/**
 * Returns a synchronous counter for passes, which cannot wait.
 *
 * A counter that returns numbers is called directly. For one that returns promises, `countAhead` counts each message once. A
 * text that was not counted ahead (a preview, a stand-in) is estimated and scaled by the ratio of counted to estimated tokens.
 * @throws ContextError `bad-option` from a call that returns neither.
 */
export function countedAhead(counter: AnyTokenCounter): TokenCounter {
  const known = counters.get(counter) ?? aheads.has(counter as TokenCounter);
  if (known !== false) return known === true ? (counter as TokenCounter) : known;
  const counted = new CountedMessages(counter);
  const { maxPerCharacter } = counter;
  const count: TokenCounter = Object.assign(
    (...input: Parameters<TokenCounter>) => counted.count(...input),
    maxPerCharacter === undefined ? {} : { maxPerCharacter },
  );
  counters.set(counter, count);
  aheads.set(count, async (messages) => counted.ahead(messages));
  return count;
}

/**
 * Counts messages for a counter of `countedAhead`. Resolves with the error if the counter rejects; messages that it has not
 * counted are estimated. Does nothing if the counter returns numbers.
 */
export async function countAhead(counter: TokenCounter, messages: readonly BaseMessage[]): Promise<unknown> {
  return aheads.get(counter)?.(messages);
}

class CountedMessages {
  readonly #counter: AnyTokenCounter;
  readonly #counts = new WeakMap<BaseMessage, number>();
  #returnsPromises: boolean | undefined;
  #counted = 0;
  #estimated = 0;

  constructor(counter: AnyTokenCounter) {
    this.#counter = counter;
  }

  count(...[messages, parts]: Parameters<TokenCounter>): number {
    if (this.#returnsPromises !== true) {
      const result = this.#counter(messages, parts);
      if (!isPromise(result)) return checked(result);
      result.catch(() => undefined);
      this.#returnsPromises = true;
    }
    const ratio = this.#estimated === 0 ? 1 : this.#counted / this.#estimated;
    let tokens = parts === undefined ? 0 : estimateTokens([], parts) * ratio;
    for (const message of messages) tokens += this.#counts.get(message) ?? estimateTokens([message]) * ratio;
    return Math.ceil(tokens);
  }

  async ahead(messages: readonly BaseMessage[]): Promise<unknown> {
    if (this.#returnsPromises === false) return undefined;
    const missing = messages.filter((message) => !this.#counts.has(message));
    for (const message of missing) {
      const result = this.#counter([message]);
      this.#returnsPromises = isPromise(result);
      if (!isPromise(result)) return undefined;
      let counted: unknown;
      try {
        counted = await result;
      } catch (error) {
        return error ?? new Error("tokenCounter was rejected");
      }
      const tokens = checked(counted);
      this.#counts.set(message, tokens);
      this.#counted += tokens;
      this.#estimated += estimateTokens([message]);
    }
    return undefined;
  }
}

function isPromise(value: unknown): value is Promise<number> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

function checked(tokens: unknown): number {
  if (typeof tokens === "number" && tokens >= 0) return tokens;
  throw new ContextError(
    "bad-option",
    `tokenCounter returned ${shownValue(tokens)}: return the number of tokens`,
  );
}
