import type { BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import { foldContent, type FoldedContent } from "./fold-content.js";
import { foldOf, type Fold } from "../folds/fold.js";
import { unchanged, type ArchiveWrite, type Rewrite } from "../folds/rewrite.js";
import { messageText } from "../messages/text.js";
import { isAi, isToolResult } from "../messages/tool-calls.js";
import { defaults } from "../options.js";
import { isSummary } from "../folds/fold.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { ContextMeasure } from "../tokens/measure-context.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { maskResult } from "./mask-tool-results.js";
import { offloadContent, preview } from "./offload-large-tool-results.js";
import { shortenUserMessage } from "./offload-large-user-messages.js";
import { shortenReply } from "./shorten-reply.js";
import { truncateInputsOf } from "./truncate-tool-inputs.js";

export interface ShrinkOptions {
  /** Scale of the prompt: what is sent beside the messages, and what the provider counts for a token of the counter. */
  readonly measure: Pick<ContextMeasure, "overheadTokens" | "tokenRatio">;
  /** Tokens of the prompt at which what the model has seen is no longer shortened. */
  readonly target: number;
  /** Tokens of the prompt over which unseen results become previews and user messages lose their middle. */
  readonly window: number;
  /** Messages that are never changed. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** Characters of a string argument over which it is replaced. @default 2,000 */
  readonly inputCharacters?: number;
  /** Lines of a preview. @default 10 */
  readonly previewLines?: number;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Shortens single large messages, wherever they stand, until the prompt is small enough: the protected tail and the
 * newest step included.
 *
 * Pure. In order of what it costs the reader: large inputs of calls, results that the model has seen, its own long
 * texts, and the results once more as one line, all until `target`; and where the prompt is over `window`, unseen
 * results as previews (never less), small inputs, and user messages as beginning and end, the newest of them last. Of one
 * kind the largest goes first. System messages, pins, summaries, reasoning and media stay as they are.
 */
export function shrinkToFit(messages: readonly BaseMessage[], options: ShrinkOptions): Rewrite {
  const shrinking = new Shrinking(messages, options);
  const { target, window } = options;
  for (const shorten of seenStages) shrinking.run(shorten, target);
  for (const shorten of unseenStages) shrinking.run(shorten, window);
  return shrinking.rewrite();
}

/** What a stage knows of the message at hand. */
interface Facts {
  readonly isSeen: boolean;
  /** Id of the newest message, for what the model has seen. */
  readonly newest: string | undefined;
  readonly options: ShrinkOptions;
  readonly tokenCounter: TokenCounter;
}

/** Returns a shorter message, or undefined where the stage does not concern it or frees nothing. */
type Shorten = (message: BaseMessage, facts: Facts) => FoldedContent | undefined;

const seenStages: readonly Shorten[] = [
  (message, facts) => truncateInputsOf(message, { ...facts.options, ...facts }),
  (message, facts) => (facts.isSeen && isToolResult(message) ? asPreview(message, facts) : undefined),
  (message, facts) => shortenReply(message, { ...facts, characters: defaults.inputCharacters }),
  (message, facts) => (facts.isSeen ? maskResult(message, facts) : undefined),
];

/** Characters of an argument below which its pointer would be no shorter. */
const leastInputCharacters = 400;

const unseenStages: readonly Shorten[] = [
  (message, facts) => (isToolResult(message) ? asPreview(message, facts) : undefined),
  (message, facts) => truncateInputsOf(message, { ...facts, inputCharacters: leastInputCharacters }),
  (message, facts) => (isToolResult(message) ? asShortPreview(message, facts) : undefined),
  asBeginningAndEnd,
];

function asPreview(message: BaseMessage, { options, newest, tokenCounter }: Facts) {
  return offloadContent(message, {
    previewLines: options.previewLines ?? defaults.previewLines,
    newest,
    tokenCounter,
  });
}

/** A preview of one line; also of a result that has a longer preview already. */
function asShortPreview(message: BaseMessage, { newest, tokenCounter }: Facts) {
  const shown = messageText(message);
  // The first two lines of a preview say what it is of and where the rest is.
  const text = foldOf(message) === undefined ? shown : shown.split("\n").slice(2).join("\n");
  return foldContent(message, {
    kind: "offload",
    tokenCounter,
    newest,
    describe: ({ path }) =>
      [
        "[Result offloaded]",
        `Full text: ${path}`,
        preview(text, { previewLines: 1, previewLineLength: 80 }),
      ].join("\n"),
  });
}

function asBeginningAndEnd(message: BaseMessage, { options, newest, tokenCounter }: Facts) {
  return shortenUserMessage(message, { maxTokens: roomIn(options), newest, tokenCounter });
}

/** Returns the tokens of the counter that all messages together may have in the window. */
function roomIn({ measure: { overheadTokens, tokenRatio }, window }: ShrinkOptions): number {
  return (window - overheadTokens) / tokenRatio;
}

/** The list that is being shortened, and its tokens by the counter. */
class Shrinking {
  readonly #messages: BaseMessage[];
  readonly #folds = new Map<number, readonly Fold[]>();
  readonly #writes: ArchiveWrite[] = [];
  readonly #unseen: number;
  readonly #count: TokenCounter;
  #tokens: number;

  constructor(
    readonly before: readonly BaseMessage[],
    readonly options: ShrinkOptions,
  ) {
    this.#messages = [...before];
    this.#unseen = unseenStart(before);
    this.#count = options.tokenCounter ?? estimateTokens;
    this.#tokens = this.#count(before);
  }

  /** Shortens message by message, the largest first, until the prompt has at most `goal` tokens. */
  run(shorten: Shorten, goal: number): void {
    const { overheadTokens, tokenRatio } = this.options.measure;
    const most = (goal - overheadTokens) / tokenRatio;
    if (this.#tokens <= most) return;
    for (const index of this.#order(shorten)) {
      const message = this.#messages[index];
      const folded = message && shorten(message, this.#factsOf(message, index));
      if (message === undefined || folded === undefined) continue;
      this.#tokens -= this.#count([message]) - this.#count([folded.message]);
      this.#take(index, folded);
      if (this.#tokens <= most) break;
    }
    this.#tokens = this.#count(this.#messages);
  }

  rewrite(): Rewrite {
    if (this.#folds.size === 0) return unchanged(this.before);
    return { messages: this.#messages, writes: this.#writes, folds: [...this.#folds.values()].flat() };
  }

  /** Indices of what may be shortened, largest first. Of the user's messages the newest comes last, unless no window holds it. */
  #order(shorten: Shorten): readonly number[] {
    const { pin } = this.options;
    const room = roomIn(this.options);
    const isAbout =
      shorten === asBeginningAndEnd ? isUser : (one: BaseMessage) => isAi(one) || isToolResult(one);
    const last = this.#messages.findLastIndex(isUser);
    return this.#messages
      .map((message, index) => ({ message, index, tokens: this.#count([message]) }))
      .filter(({ message }) => isAbout(message) && !isSummary(message) && pin?.(message) !== true)
      .map((one) => ({ ...one, waits: one.index === last && one.tokens <= room }))
      .toSorted((a, b) => Number(a.waits) - Number(b.waits) || b.tokens - a.tokens)
      .map(({ index }) => index);
  }

  #factsOf(message: BaseMessage, index: number): Facts {
    const isSeen = index < this.#unseen;
    // The model has seen its own words, also the call whose results it has not.
    const newest = isSeen || isAi(message) ? this.before.at(-1)?.id : undefined;
    return { isSeen, newest, options: this.options, tokenCounter: this.#count };
  }

  /** A fold of content replaces an earlier one of the same message; one of a whole message covers it. */
  #take(index: number, { message, fold, writes }: FoldedContent): void {
    const earlier = isAi(message) ? (this.#folds.get(index) ?? []) : [];
    this.#messages[index] = message;
    this.#folds.set(index, [...earlier, fold]);
    this.#writes.push(...writes);
  }
}

function isUser(message: BaseMessage): boolean {
  return message.getType() === "human" && !isSummary(message);
}
