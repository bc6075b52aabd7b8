import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  foldOf,
  groupOf,
  isToolResult,
  messageText,
  offloadContent,
  preview,
  standIn,
  type ArchiveWrite,
  type Fold,
  type TokenCounter,
} from "@palimpsest/context";
import type { ThreadMemory } from "./thread-memory.js";

/** How steps are sent whose results the model has not been shown. */
export interface UnseenSteps {
  /** Their messages, large results as previews, where the messages can be sent. */
  readonly messages: ReadonlyMap<number, readonly BaseMessage[]>;
  /** Previews of their results, where the messages cannot. */
  readonly texts: ReadonlyMap<number, string>;
  readonly writes: readonly ArchiveWrite[];
  readonly folds: readonly Fold[];
}

interface UnseenOptions {
  /** Tokens of the counter that they may take, where previews can be made that small. */
  readonly limit: number;
  readonly count: TokenCounter;
}

interface PreviewSize {
  readonly previewLines: number;
  readonly previewLineLength: number;
}

/** Previews, the largest first: the first that fits is taken. */
const sizes: readonly PreviewSize[] = [
  { previewLines: 10, previewLineLength: 200 },
  { previewLines: 3, previewLineLength: 120 },
  { previewLines: 1, previewLineLength: 60 },
];
const smallest = { previewLines: 1, previewLineLength: 30 };

/**
 * Returns how the results that the model has not been shown are sent: whole, or as previews with their archive paths.
 *
 * Results of the same tool loop that it has seen become previews first. Where the loop is too long even so, its steps are
 * told as texts, and the unseen results among them by a preview each. Pure.
 */
export function unseenSteps(memory: ThreadMemory, { limit, count }: UnseenOptions): UnseenSteps {
  const unseen = stepsWithUnseen(memory);
  const loop = [...new Set(unseen.flatMap((step) => groupOf(memory.index, step).map(({ index }) => index)))];
  const steps = loop.map((step) => ({ step, messages: memory.messagesOf(step) }));
  if (steps.every(({ messages }) => messages !== undefined)) {
    for (const size of sizes) {
      const sent = shortened(steps, { unseen: new Set(unseen), size, limit, count });
      if (sent !== undefined) return sent;
    }
  }
  const told = sizes.map((size) => texts(memory, unseen, size));
  const fits = told.find((all) => count([new HumanMessage([...all.values()].join("\n"))]) <= limit);
  return { messages: new Map(), texts: fits ?? texts(memory, unseen, smallest), writes: [], folds: [] };
}

/** Steps with results behind the model's last message, ascending. */
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

/** The steps with as few previews as bring them under the limit; undefined when all of them are not enough. */
function shortened(
  steps: readonly SentStep[],
  { unseen, size, limit, count }: ShortenOptions,
): UnseenSteps | undefined {
  const sent = new Map(steps.map(({ step, messages }) => [step, [...(messages ?? [])]]));
  const results = [...sent].flatMap(([step, messages]) =>
    messages.flatMap((message, at) =>
      isToolResult(message) ? [{ step, at, message, tokens: count([message]) }] : [],
    ),
  );
  results.sort((a, b) => Number(unseen.has(a.step)) - Number(unseen.has(b.step)) || b.tokens - a.tokens);
  let left = count([...sent.values()].flat());
  const writes: ArchiveWrite[] = [];
  const folds: Fold[] = [];
  for (const { step, at, message } of results) {
    if (left <= limit) break;
    const folded = offloadContent(message, { ...size, tokenCounter: count });
    if (folded === undefined) continue;
    const fold: Fold = { ...folded.fold, reason: "predicted" };
    sent.get(step)?.splice(at, 1, standIn(folded.message, fold, {}));
    left -= fold.tokensBefore - fold.tokensAfter;
    writes.push(...folded.writes);
    folds.push(fold);
  }
  return left <= limit ? { messages: sent, texts: new Map(), writes, folds } : undefined;
}

function texts(
  memory: ThreadMemory,
  steps: readonly number[],
  size: PreviewSize,
): ReadonlyMap<number, string> {
  return new Map(
    steps.map((step) => {
      const path = memory.pathOf(step);
      const results = memory.keptMessagesOf(step).filter((message) => isToolResult(message));
      const told = results.map((result) => {
        const text = messageText(result);
        const at = foldOf(result)?.path ?? path;
        return `[New result of ${result.name ?? "a call"}, ${text.length} characters. Full text: ${at}]\n${preview(text, size)}`;
      });
      return [step, told.join("\n")];
    }),
  );
}
