import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  foldOf,
  truncateToolInputs,
  type ArchiveWrite,
  type Fold,
  type TokenCounter,
} from "@palimpsest/context";
import {
  hasReasoningContent,
  isAi,
  isToolResult,
  messageText,
  offloadContent,
  preview,
  standIn,
} from "@palimpsest/context/internal";
import { groupOf } from "@palimpsest/context/selection";
import type { ThreadMemory } from "../memory/thread-memory.js";

/** How steps with results that the model has not seen are sent. */
export interface UnseenSteps {
  /** Messages by step, large results as previews. Empty if messages do not fit. */
  readonly messages: ReadonlyMap<number, readonly BaseMessage[]>;
  /** Previews of results by step, if messages do not fit. */
  readonly texts: ReadonlyMap<number, string>;
  readonly writes: readonly ArchiveWrite[];
  readonly folds: readonly Fold[];
}

interface UnseenOptions {
  /** Tokens that the steps may take. Only the shortest form, one line a step, may take more. */
  readonly limit: number;
  readonly count: TokenCounter;
  /** Messages of steps that are reserved already, and not counted here. @default none */
  readonly fixed?: ReadonlyMap<number, readonly BaseMessage[]>;
}

interface PreviewSize {
  readonly previewLines: number;
  readonly previewLineLength: number;
}

/** Preview sizes, the largest first; the first that fits is used. An input keeps as many characters as a preview. */
const sizes: readonly PreviewSize[] = [
  { previewLines: 10, previewLineLength: 200 },
  { previewLines: 3, previewLineLength: 120 },
  { previewLines: 1, previewLineLength: 60 },
];
const smallest = { previewLines: 1, previewLineLength: 30 };

/**
 * Returns the results that the model has not seen as they are sent: whole, or as previews with archive paths.
 *
 * Seen results and large inputs of the same tool loop are shortened first. If the messages of the loop still do not fit,
 * previews of the unseen results go into the record of earlier steps; if these do not fit, one line for each step. Pure.
 */
export function unseenSteps(memory: ThreadMemory, { limit, count, fixed }: UnseenOptions): UnseenSteps {
  const unseen = stepsWithUnseen(memory);
  const loop = [...new Set(unseen.flatMap((step) => groupOf(memory.index, step).map(({ index }) => index)))];
  const steps = loop
    .filter((step) => fixed?.has(step) !== true)
    .map((step) => ({ step, messages: memory.messagesOf(step) }));
  if (steps.every(({ messages }) => messages !== undefined)) {
    for (const size of sizes) {
      const sent = shortenSteps(steps, { unseen: new Set(unseen), size, limit, count });
      if (sent !== undefined) return sent;
    }
  }
  const previews = [...sizes, smallest].map((size) => previewTexts(memory, unseen, size));
  const fits = previews.find((texts) => textTokens(texts, count) <= limit);
  return { messages: new Map(), texts: fits ?? lineTexts(memory, unseen), writes: [], folds: [] };
}

/** Returns the tokens of the shortest form of all unseen results; 0 without any. */
export function minUnseenTokens(memory: ThreadMemory, count: TokenCounter): number {
  const unseen = stepsWithUnseen(memory);
  return unseen.length === 0 ? 0 : textTokens(lineTexts(memory, unseen), count);
}

function textTokens(texts: ReadonlyMap<number, string>, count: TokenCounter): number {
  return count([new HumanMessage([...texts.values()].join("\n"))]);
}

/** Returns the steps with results after the newest AI message, ascending. */
function stepsWithUnseen(memory: ThreadMemory): readonly number[] {
  const { chunks } = memory.index;
  const newest = chunks.findLastIndex(({ type }) => type === "ai");
  return chunks
    .slice(Math.max(0, newest))
    .map(({ index }) => index)
    .filter((step) => memory.keptMessagesOf(step).some((message) => isToolResult(message)));
}

interface ShortenOptions extends UnseenOptions {
  readonly unseen: ReadonlySet<number>;
  readonly size: PreviewSize;
}

interface SentStep {
  readonly step: number;
  readonly messages: readonly BaseMessage[] | undefined;
}

/** Shortens as few messages as it takes to reach the limit; returns undefined where all of them are not enough. */
function shortenSteps(
  steps: readonly SentStep[],
  { unseen, size, limit, count }: ShortenOptions,
): UnseenSteps | undefined {
  const sent = new Map(steps.map(({ step, messages }) => [step, [...(messages ?? [])]]));
  const candidates = [...sent].flatMap(([step, messages]) =>
    messages.map((message, at) => ({ step, at, message, tokens: count([message]) })),
  );
  const isUnseen = ({ step, message }: (typeof candidates)[number]) =>
    unseen.has(step) && isToolResult(message);
  candidates.sort((a, b) => Number(isUnseen(a)) - Number(isUnseen(b)) || b.tokens - a.tokens);
  let left = count([...sent.values()].flat());
  const writes: ArchiveWrite[] = [];
  const folds: Fold[] = [];
  for (const { step, at, message, tokens } of candidates) {
    if (left <= limit) break;
    const folded = shortForm(message, size, count);
    if (folded === undefined) continue;
    const fold: Fold = { ...folded.fold, reason: "predicted" };
    sent.get(step)?.splice(at, 1, standIn(folded.message, fold, {}));
    left -= tokens - fold.tokensAfter;
    writes.push(...folded.writes);
    folds.push(fold);
  }
  return left <= limit ? { messages: sent, texts: new Map(), writes, folds } : undefined;
}

/** Returns a result as a preview, or an AI message with pointers in place of its large inputs. */
function shortForm(message: BaseMessage, size: PreviewSize, count: TokenCounter) {
  if (isToolResult(message)) return offloadContent(message, { ...size, tokenCounter: count });
  // A provider that signs reasoning refuses it if the inputs of the same message have changed.
  if (!isAi(message) || hasReasoningContent(message)) return undefined;
  const inputCharacters = size.previewLines * size.previewLineLength;
  const { messages, folds, writes } = truncateToolInputs([message], { inputCharacters, tokenCounter: count });
  const [fold] = folds;
  const [shorter] = messages;
  return fold === undefined || shorter === undefined ? undefined : { message: shorter, fold, writes };
}

/** Returns the shortest form: one line for each step. */
function lineTexts(memory: ThreadMemory, steps: readonly number[]): ReadonlyMap<number, string> {
  return new Map(
    steps.map((step) => {
      const results = memory.keptMessagesOf(step).filter((message) => isToolResult(message));
      const characters = results.reduce((sum, result) => sum + messageText(result).length, 0);
      const more = results.length > 1 ? `and ${results.length - 1} more, ` : "";
      const name = results[0]?.name ?? "a call";
      return [
        step,
        `[New result of ${name}, ${more}${characters} characters. Full text: ${memory.textPathOf(step)}]`,
      ];
    }),
  );
}

function previewTexts(
  memory: ThreadMemory,
  steps: readonly number[],
  size: PreviewSize,
): ReadonlyMap<number, string> {
  return new Map(
    steps.map((step) => {
      const path = memory.textPathOf(step);
      const results = memory.keptMessagesOf(step).filter((message) => isToolResult(message));
      const previews = results.map((result) => {
        const text = messageText(result);
        const at = foldOf(result)?.path ?? path;
        return `[New result of ${result.name ?? "a call"}, ${text.length} characters. Full text: ${at}]\n${preview(text, size)}`;
      });
      return [step, previews.join("\n")];
    }),
  );
}
