import type { BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import { foldContent, type FoldedContent } from "./fold-content.js";
import type { LaneOptions } from "../folds/archive-paths.js";
import { foldOf, isOwn, isUserMessage, type Fold } from "../folds/fold.js";
import { unchanged, type ArchiveWrite, type Rewrite } from "../folds/rewrite.js";
import { nativeStart, readMessages } from "../messages/provider/native-compaction.js";
import { messageText } from "../messages/text.js";
import { isAi, isToolResult } from "../messages/tool-calls.js";
import { defaults } from "../options.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { ContextMeasure } from "../tokens/measure-context.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { maskResult } from "./mask-tool-results.js";
import { offloadContent, preview } from "./offload-large-tool-results.js";
import { shortenUserMessage } from "./offload-large-user-messages.js";
import { shortenReply } from "./shorten-reply.js";
import { truncateInputsOf } from "./truncate-tool-inputs.js";

export interface ShrinkOptions extends LaneOptions {
  /** Converts counter tokens to prompt tokens: the overhead, and provider tokens per token of the counter. */
  readonly measure: Pick<ContextMeasure, "overheadTokens" | "tokenRatio">;
  /** Prompt tokens; seen messages are shortened until the prompt has at most as many. */
  readonly target: number;
  /** Prompt tokens; above it, unseen results become previews and user messages lose their middle. */
  readonly window: number;
  /** Messages that are never changed. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** Characters; a longer string argument is replaced. @default 2,000 */
  readonly inputCharacters?: number;
  /** Lines of a preview. @default 10 */
  readonly previewLines?: number;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Shortens single large messages anywhere in the context, including the protected tail and the newest step, until the
 * prompt is small enough.
 *
 * Pure. Runs in stages, in ascending order of information loss. Until the prompt has at most `target` tokens: large
 * inputs of calls; seen results, as previews; long texts of AI messages; seen results, as one line. Then, while the
 * prompt exceeds `window`: unseen results, as previews (never less); small inputs; user messages, as beginning and end,
 * the newest last. Each stage shortens the largest message first. System messages, pins, summaries, reasoning and media
 * do not change, and nothing up to a compaction of the provider does.
 */
export function shrinkToFit(messages: readonly BaseMessage[], options: ShrinkOptions): Rewrite {
  const shrinking = new Shrinking(messages, options);
  const { target, window } = options;
  for (const shorten of seenStages) shrinking.run(shorten, target);
  for (const shorten of unseenStages) shrinking.run(shorten, window);
  return shrinking.rewrite();
}

/** The facts about a message that a stage reads. */
interface Facts extends LaneOptions {
  readonly isSeen: boolean;
  /** Id of the newest message of the context, if the model has seen this message. */
  readonly newest: string | undefined;
  readonly options: ShrinkOptions;
  readonly tokenCounter: TokenCounter;
}

/** Returns a shorter message, or undefined when the stage does not apply or frees nothing. */
type Shorten = (message: BaseMessage, facts: Facts) => FoldedContent | undefined;

const seenStages: readonly Shorten[] = [
  (message, facts) => truncateInputsOf(message, { ...facts.options, ...facts }),
  (message, facts) => (facts.isSeen && isToolResult(message) ? asPreview(message, facts) : undefined),
  (message, facts) => shortenReply(message, { ...facts, characters: defaults.inputCharacters }),
  (message, facts) => (facts.isSeen ? maskResult(message, facts) : undefined),
];

/** Characters; for a shorter argument, the pointer would not be smaller. */
const minInputCharacters = 400;

const unseenStages: readonly Shorten[] = [
  (message, facts) => (isToolResult(message) ? asPreview(message, facts) : undefined),
  (message, facts) => truncateInputsOf(message, { ...facts, inputCharacters: minInputCharacters }),
  (message, facts) => (isToolResult(message) ? asShortPreview(message, facts) : undefined),
  asBeginningAndEnd,
];

function asPreview(message: BaseMessage, { options, newest, tokenCounter, lane }: Facts) {
  return offloadContent(message, {
    previewLines: options.previewLines ?? defaults.previewLines,
    newest,
    tokenCounter,
    lane,
  });
}

/** Returns a preview of one line, also for a result that already has a longer preview. */
function asShortPreview(message: BaseMessage, { newest, tokenCounter, lane }: Facts) {
  const shown = messageText(message);
  // The first two lines of a preview are the notice and the path.
  const text = foldOf(message) === undefined ? shown : shown.split("\n").slice(2).join("\n");
  return foldContent(message, {
    kind: "offload",
    tokenCounter,
    newest,
    lane,
    describe: ({ path }) =>
      [
        "[Result offloaded]",
        `Full text: ${path}`,
        preview(text, { previewLines: 1, previewLineLength: 80 }),
      ].join("\n"),
  });
}

function asBeginningAndEnd(message: BaseMessage, { options, newest, tokenCounter, lane }: Facts) {
  return shortenUserMessage(message, { maxTokens: roomIn(options), newest, tokenCounter, lane });
}

/** Returns the room for messages in the window, in tokens of the counter. */
function roomIn({ measure: { overheadTokens, tokenRatio }, window }: ShrinkOptions): number {
  return (window - overheadTokens) / tokenRatio;
}

/** The working copy of the messages, with its current token count. */
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
    this.#tokens = this.#count(readMessages(before));
  }

  /** Shortens message by message, the largest first, until the prompt has at most `goal` tokens. */
  run(shorten: Shorten, goal: number): void {
    const { overheadTokens, tokenRatio } = this.options.measure;
    const maxTokens = (goal - overheadTokens) / tokenRatio;
    if (this.#tokens <= maxTokens) return;
    for (const index of this.#order(shorten)) {
      const message = this.#messages[index];
      const folded = message && shorten(message, this.#factsOf(message, index));
      if (message === undefined || folded === undefined) continue;
      this.#tokens -= this.#count([message]) - this.#count([folded.message]);
      this.#take(index, folded);
      if (this.#tokens <= maxTokens) break;
    }
    this.#tokens = this.#count(readMessages(this.#messages));
  }

  rewrite(): Rewrite {
    if (this.#folds.size === 0) return unchanged(this.before);
    return { messages: this.#messages, writes: this.#writes, folds: [...this.#folds.values()].flat() };
  }

  /** Indices of the messages for a stage, largest first. The newest user message is last, unless it exceeds the window. */
  #order(shorten: Shorten): readonly number[] {
    const { pin } = this.options;
    const room = roomIn(this.options);
    const isCandidate =
      shorten === asBeginningAndEnd ? isUserMessage : (one: BaseMessage) => isAi(one) || isToolResult(one);
    const last = this.#messages.findLastIndex(isUserMessage);
    const start = nativeStart(this.#messages) + 1;
    return this.#messages
      .map((message, index) => ({ message, index, tokens: this.#count([message]) }))
      .filter(({ index }) => index >= start)
      .filter(({ message }) => isCandidate(message) && isOwn(message) && pin?.(message) !== true)
      .map((entry) => ({ ...entry, isLast: entry.index === last && entry.tokens <= room }))
      .toSorted((a, b) => Number(a.isLast) - Number(b.isLast) || b.tokens - a.tokens)
      .map(({ index }) => index);
  }

  #factsOf(message: BaseMessage, index: number): Facts {
    const isSeen = index < this.#unseen;
    // The model has seen its own messages, including a call whose results it has not seen.
    const newest = isSeen || isAi(message) ? this.before.at(-1)?.id : undefined;
    const { lane } = this.options;
    return { isSeen, newest, options: this.options, tokenCounter: this.#count, lane };
  }

  /** Stores a result. A later fold of content replaces the earlier one; folds of an AI message accumulate. */
  #take(index: number, { message, fold, writes }: FoldedContent): void {
    const earlier = isAi(message) ? (this.#folds.get(index) ?? []) : [];
    this.#messages[index] = message;
    this.#folds.set(index, [...earlier, fold]);
    this.#writes.push(...writes);
  }
}
