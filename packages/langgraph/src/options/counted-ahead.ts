import type { BaseMessage } from "@langchain/core/messages";
import { ContextError, estimateTokens, type TokenCounter } from "@palimpsest/context";
import { shownValue } from "./fields.js";

/** A counter that may return a promise, like LangChain's: a tokenizer that has to be loaded, or an API of the provider. */
export interface AnyTokenCounter extends Pick<TokenCounter, "maxPerCharacter"> {
  (...input: Parameters<TokenCounter>): ReturnType<TokenCounter> | Promise<ReturnType<TokenCounter>>;
}

const counters = new WeakMap<AnyTokenCounter, TokenCounter>();
const parts = new WeakMap<TokenCounter, { readonly counted: CountedMessages; readonly run?: CountedRun }>();

/**
 * Returns a synchronous counter for passes, which cannot wait and must not fail.
 *
 * A counter that returns numbers is called directly, and the estimator, which needs no care, is returned as it is. For one that returns promises, `countAhead` counts each message once. A
 * text that was not counted ahead (a preview, a stand-in) is estimated and scaled by the ratio of counted to estimated tokens:
 * that of the list, or with {@link counterOfRun} of the thread, so that no thread changes what another one counts. A message
 * at which the counter throws is estimated, and the others are counted.
 * @throws ContextError `bad-option` from a call that returns neither.
 */
export function countedAhead(counter: AnyTokenCounter): TokenCounter {
  if (counter === estimateTokens) return estimateTokens;
  const known = counters.get(counter) ?? parts.has(counter as TokenCounter);
  if (known !== false) return known === true ? (counter as TokenCounter) : known;
  const counted = new CountedMessages(counter);
  const count = withBound(counter, (...input) => counted.count(input, undefined));
  counters.set(counter, count);
  parts.set(count, { counted });
  return count;
}

/** Returns a counter of {@link countedAhead} for one run, which calls `onFailure` the first time that a call throws. */
export function counterOfRun(counter: TokenCounter, onFailure: (error: unknown) => void): TokenCounter {
  const { counted } = parts.get(counter) ?? {};
  if (counted === undefined) return counter;
  const run: CountedRun = { ratio: undefined, hasFailed: false, onFailure };
  const count = withBound(counter, (...input) => counted.count(input, run));
  parts.set(count, { counted, run });
  return count;
}

function withBound(
  { maxPerCharacter }: Pick<TokenCounter, "maxPerCharacter">,
  count: (...input: Parameters<TokenCounter>) => number,
): TokenCounter {
  return Object.assign(count, maxPerCharacter === undefined ? {} : { maxPerCharacter });
}

/**
 * Counts messages for a counter of `countedAhead`. Resolves with the error if the counter rejects; messages that it has not
 * counted are estimated. Does nothing if the counter returns numbers.
 */
export async function countAhead(counter: TokenCounter, messages: readonly BaseMessage[]): Promise<unknown> {
  const { counted, run } = parts.get(counter) ?? {};
  const failure = await counted?.ahead(messages);
  if (run === undefined) return failure;
  run.ratio = counted?.ratioOf(messages);
  run.hasFailed ||= failure !== undefined;
  return failure;
}

/** What a counter knows of one run. */
interface CountedRun {
  /** Counted tokens for each estimated one, in the thread of the run. */
  ratio: number | undefined;
  /** A failure has been told of. */
  hasFailed: boolean;
  readonly onFailure: (error: unknown) => void;
}

/** Messages of a step at which a counter may reject before the rest is estimated: an API that is down is not asked for all. */
const maxRejections = 3;

class CountedMessages {
  readonly #counter: AnyTokenCounter;
  readonly #counts = new WeakMap<BaseMessage, number>();
  #returnsPromises: boolean | undefined;

  constructor(counter: AnyTokenCounter) {
    this.#counter = counter;
  }

  count([messages, prompt]: Parameters<TokenCounter>, run: CountedRun | undefined): number {
    if (this.#returnsPromises !== true) {
      try {
        const result = this.#counter(messages, prompt);
        if (!isPromise(result)) return checked(result);
        result.catch(() => undefined);
        this.#returnsPromises = true;
      } catch (error) {
        if (ContextError.isInstance(error)) throw error;
        if (run?.hasFailed === false) run.onFailure(error);
        if (run !== undefined) run.hasFailed = true;
        return this.#countEach(messages, prompt);
      }
    }
    const ratio = run?.ratio ?? this.ratioOf(messages) ?? 1;
    let tokens = prompt === undefined ? 0 : estimateTokens([], prompt) * ratio;
    for (const message of messages) tokens += this.#counts.get(message) ?? estimateTokens([message]) * ratio;
    return Math.ceil(tokens);
  }

  /** Returns the counted tokens for each estimated one, over the messages that were counted; undefined if none was. */
  ratioOf(messages: readonly BaseMessage[]): number | undefined {
    if (this.#returnsPromises !== true) return undefined;
    let [counted, estimated] = [0, 0];
    for (const message of messages) {
      const tokens = this.#counts.get(message);
      if (tokens === undefined) continue;
      counted += tokens;
      estimated += estimateTokens([message]);
    }
    return estimated === 0 ? undefined : counted / estimated;
  }

  async ahead(messages: readonly BaseMessage[]): Promise<unknown> {
    if (this.#returnsPromises === false) return undefined;
    const failures: unknown[] = [];
    for (const message of messages) {
      if (this.#counts.has(message)) continue;
      try {
        const result = this.#counter([message]);
        this.#returnsPromises = isPromise(result);
        if (!isPromise(result)) return undefined;
        this.#counts.set(message, checked(await result));
      } catch (error) {
        if (ContextError.isInstance(error)) throw error;
        failures.push(error ?? new Error("tokenCounter was rejected"));
        if (failures.length >= maxRejections) break;
      }
    }
    return failures[0];
  }

  /** Counts each message alone, for a list at which the counter throws. */
  #countEach(messages: readonly BaseMessage[], prompt: Parameters<TokenCounter>[1]): number {
    const each = messages.map((message) => this.#counted([message]));
    return each.reduce((sum, tokens) => sum + tokens, prompt === undefined ? 0 : this.#counted([], prompt));
  }

  #counted(...input: Parameters<TokenCounter>): number {
    try {
      const result = this.#counter(...input);
      if (!isPromise(result)) return checked(result);
    } catch (error) {
      if (ContextError.isInstance(error)) throw error;
    }
    return estimateTokens(...input);
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
