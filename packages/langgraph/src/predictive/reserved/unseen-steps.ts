import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  foldOf,
  truncateToolInputs,
  type ArchiveWrite,
  type Fold,
  type TokenCounter,
} from "@palimpsest/context";
import {
  isAi,
  isToolResult,
  messageText,
  offloadContent,
  preview,
  standIn,
} from "@palimpsest/context/internal";
import { groupOf } from "@palimpsest/context/selection";
import { hasReasoning, type ThreadMemory } from "../memory/thread-memory.js";

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
  /** Tokens that they may take. Only the shortest form, a line for each step, may take more. */
  readonly limit: number;
  readonly count: TokenCounter;
  /** Messages of steps that are sent in any case, and are not counted here. @default none */
  readonly fixed?: ReadonlyMap<number, readonly BaseMessage[]>;
}

interface PreviewSize {
  readonly previewLines: number;
  readonly previewLineLength: number;
}

/** Previews, the largest first: the first that fits is taken. Inputs of calls keep as many characters as a preview. */
const sizes: readonly PreviewSize[] = [
  { previewLines: 10, previewLineLength: 200 },
  { previewLines: 3, previewLineLength: 120 },
  { previewLines: 1, previewLineLength: 60 },
];
const smallest = { previewLines: 1, previewLineLength: 30 };

/**
 * Returns how the results that the model has not been shown are sent: whole, or as previews with their archive paths.
 *
 * Results of the same tool loop that the model has seen, and large inputs of its calls, are shortened first. Where the
 * messages of the loop do not fit even so, each unseen result is sent as a preview in the record of earlier steps, and
 * where those do not fit, each step with unseen results as one line with its path. Pure.
 */
export function unseenSteps(memory: ThreadMemory, { limit, count, fixed }: UnseenOptions): UnseenSteps {
  const unseen = stepsWithUnseen(memory);
  const loop = [...new Set(unseen.flatMap((step) => groupOf(memory.index, step).map(({ index }) => index)))];
  const steps = loop
    .filter((step) => fixed?.has(step) !== true)
    .map((step) => ({ step, messages: memory.messagesOf(step) }));
  if (steps.every(({ messages }) => messages !== undefined)) {
    for (const size of sizes) {
      const sent = shortened(steps, { unseen: new Set(unseen), size, limit, count });
      if (sent !== undefined) return sent;
    }
  }
  const told = [...sizes, smallest].map((size) => texts(memory, unseen, size));
  const fits = told.find((all) => textTokens(all, count) <= limit);
  return { messages: new Map(), texts: fits ?? lines(memory, unseen), writes: [], folds: [] };
}

/** Returns the tokens that the results which the model has not been shown take in their shortest form; 0 without any. */
export function leastUnseenTokens(memory: ThreadMemory, count: TokenCounter): number {
  const unseen = stepsWithUnseen(memory);
  return unseen.length === 0 ? 0 : textTokens(lines(memory, unseen), count);
}

function textTokens(texts: ReadonlyMap<number, string>, count: TokenCounter): number {
  return count([new HumanMessage([...texts.values()].join("\n"))]);
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

/** The steps with as few messages shortened as bring them under the limit; undefined when all of them are not enough. */
function shortened(
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

/** A result as a preview, or a message of the model with pointers for its large inputs. */
function shortForm(message: BaseMessage, size: PreviewSize, count: TokenCounter) {
  if (isToolResult(message)) return offloadContent(message, { ...size, tokenCounter: count });
  // A provider that signs reasoning refuses it beside other inputs.
  if (!isAi(message) || hasReasoning(message)) return undefined;
  const inputCharacters = size.previewLines * size.previewLineLength;
  const { messages, folds, writes } = truncateToolInputs([message], { inputCharacters, tokenCounter: count });
  const [fold] = folds;
  const [shorter] = messages;
  return fold === undefined || shorter === undefined ? undefined : { message: shorter, fold, writes };
}

/** The shortest form: a line for each step. */
function lines(memory: ThreadMemory, steps: readonly number[]): ReadonlyMap<number, string> {
  return new Map(
    steps.map((step) => {
      const results = memory.keptMessagesOf(step).filter((message) => isToolResult(message));
      const characters = results.reduce((sum, result) => sum + messageText(result).length, 0);
      const more = results.length > 1 ? `and ${results.length - 1} more, ` : "";
      const name = results[0]?.name ?? "a call";
      return [
        step,
        `[New result of ${name}, ${more}${characters} characters. Full text: ${memory.pathOf(step)}]`,
      ];
    }),
  );
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
