import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { unseenStart } from "../cuts/find-cutoff.js";
import { inputPath, inputRecord, type LaneOptions } from "../folds/archive-paths.js";
import type { FoldedContent } from "./fold-content.js";
import { foldOf, hasLostReasoning, standIn, type Fold } from "../folds/fold.js";
import { unchanged, type ArchiveWrite, type Rewrite } from "../folds/rewrite.js";
import { digest } from "../messages/message-id.js";
import { messageLines } from "../messages/message-lines.js";
import { nativeStart } from "../messages/provider/native-compaction.js";
import { maxDepth } from "../messages/sound/sound-value.js";
import { recordText } from "../messages/stored-message.js";
import { inlineText } from "../messages/text.js";
import { filePathOf, isCallBlock, toolCalls, type CallInfo } from "../messages/tool-calls.js";
import { once } from "../once.js";
import { defaults } from "../options.js";
import { noPlan, planCharacters, readPlan, shownItems } from "../plans/plan-list.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";

export interface TruncateInputsOptions extends LaneOptions {
  /**
   * Index after the last message to check. The model has seen its own arguments, so any index is valid.
   * @default the index of the first message that the model has not seen
   */
  readonly end?: number;
  /** Characters; a longer string argument is replaced. @default 2,000 */
  readonly inputCharacters?: number;
  /** Messages that are never changed. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Replaces large string arguments of old calls of any tool by a pointer to the exact text in the archive. Items of the newest
 * check-list that stand in an argument follow the pointer: the agent works through them.
 *
 * Pure. Changes each message at most once, in every place of the arguments: `tool_calls`, content blocks and the
 * provider's raw calls. Ids, usage and all other fields stay. Changes nothing up to a compaction of the provider.
 */
export function truncateToolInputs(
  messages: readonly BaseMessage[],
  options: TruncateInputsOptions = {},
): Rewrite {
  const { end = unseenStart(messages) } = options;
  const start = nativeStart(messages) + 1;
  const writes: ArchiveWrite[] = [];
  const folds: Fold[] = [];
  const items = once(() => newestItems(messages));
  const own = { ...options, newest: messages.at(-1)?.id, items };
  const result = messages.map((message, index) => {
    if (index < start || index >= end || isShortened(message) || options.pin?.(message)) return message;
    const truncated = truncateInputsOf(message, own);
    if (truncated === undefined) return message;
    writes.push(...truncated.writes);
    folds.push(truncated.fold);
    return truncated.message;
  });
  return folds.length === 0 ? unchanged(messages) : { messages: result, writes, folds };
}

/** Returns the lines of the items of the newest check-list in the messages, as they were written last. */
function newestItems(messages: readonly BaseMessage[]): ReadonlySet<string> {
  const plan = messages.map(messageLines).reduce(readPlan, noPlan);
  return new Set(shownItems(plan, planCharacters).map(({ line }) => line));
}

interface TruncatedAs extends Omit<TruncateInputsOptions, "end" | "pin"> {
  readonly newest: string | undefined;
  /** Lines that follow the pointer where an argument has them. @default none */
  readonly items?: () => ReadonlySet<string>;
}

/** True for a stand-in, except one that only lost its reasoning and still has its inputs. */
function isShortened(message: BaseMessage): boolean {
  const fold = foldOf(message);
  return fold !== undefined && fold.kind !== "reasoning";
}

/** Replaces the large arguments of one message. Returns undefined when that does not make it smaller. Pure. */
export function truncateInputsOf(message: BaseMessage, options: TruncatedAs): FoldedContent | undefined {
  const { inputCharacters = defaults.inputCharacters, tokenCounter = estimateTokens, lane } = options;
  const pointers = new Map<string, string>();
  const texts: ArchiveWrite[] = [];
  for (const call of toolCalls(message)) {
    for (const text of largeStrings(call.args, inputCharacters)) {
      const path = inputPath(call.name, text, lane);
      texts.push({ path, content: text.toWellFormed() });
      pointers.set(text, [pointer(call, text, path), ...itemsIn(text, options.items)].join("\n"));
    }
  }
  const [first] = texts;
  if (first === undefined) return undefined;
  const original = recordText([message]);
  const record = inputRecord(original, lane);
  const changes = replaceInputs(message, pointers);
  const fold: Fold = {
    id: `input-${digest(`${message.id ?? ""} ${record}`)}`,
    kind: "input",
    path: first.path,
    record,
    covers: message.id === undefined ? [] : [message.id],
    ...(options.newest === undefined ? {} : { newest: options.newest }),
    ...(hasLostReasoning(message) ? { lostReasoning: true as const } : {}),
    tokensBefore: tokenCounter([message]),
    tokensAfter: tokenCounter([standIn(message, { ...emptyFold, path: record }, changes)]),
  };
  if (fold.tokensAfter >= fold.tokensBefore) return undefined;
  const writes = [...texts, { path: record, content: original }];
  return { message: standIn(message, fold, changes), fold, writes };
}

const emptyFold: Fold = {
  id: "",
  kind: "input",
  path: "/context/",
  covers: [],
  tokensBefore: 0,
  tokensAfter: 0,
};

function pointer(call: CallInfo, text: string, path: string): string {
  const file = filePathOf(call);
  const written = file === undefined || file === text ? "" : `, as passed for ${inlineText(file, 200)}`;
  return `[Input of ${text.length} characters archived: ${path}${written}]`;
}

function itemsIn(text: string, items: TruncatedAs["items"]): readonly string[] {
  if (items === undefined) return [];
  const shown = items();
  return shown.size === 0 ? [] : text.split("\n").filter((line) => shown.has(line.trim()));
}

function largeStrings(value: unknown, limit: number): readonly string[] {
  if (typeof value === "string") return value.length > limit ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((item) => largeStrings(item, limit));
}

/**
 * Returns the changed fields of a message: every argument equal to a key of `pointers` is replaced by its value, in all
 * fields where hosts and providers keep the arguments of a call.
 *
 * Pure. Parses and rewrites arguments that are JSON text; compares other text as a whole.
 */
function replaceInputs(
  message: BaseMessage,
  pointers: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const { tool_calls: calls, invalid_tool_calls: invalid } = message as AIMessage;
  const { tool_call_chunks: chunks } = message as { tool_call_chunks?: unknown };
  const raw = message.additional_kwargs as Record<string, unknown>;
  const response = message.response_metadata as Record<string, unknown> | undefined;
  return {
    ...(calls === undefined ? {} : { tool_calls: replace(calls, pointers) }),
    ...(invalid === undefined ? {} : { invalid_tool_calls: replace(invalid, pointers) }),
    ...(chunks === undefined ? {} : { tool_call_chunks: replace(chunks, pointers) }),
    ...(typeof message.content === "string" ? {} : { content: replaceInBlocks(message.content, pointers) }),
    ...(raw?.["tool_calls"] === undefined && raw?.["function_call"] === undefined
      ? {}
      : { additional_kwargs: replaceKeys(raw, ["tool_calls", "function_call"], pointers) }),
    ...(response?.["output"] === undefined
      ? {}
      : { response_metadata: replaceKeys(response, ["output"], pointers) }),
  };
}

function replaceInBlocks(content: unknown, pointers: ReadonlyMap<string, string>): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block: unknown) =>
    typeof block === "object" && block !== null && isCallBlock(block as Record<string, unknown>)
      ? replace(block, pointers)
      : block,
  );
}

/** Returns a copy of a record in which every string below `keys` that is a key of `pointers` is replaced. Pure. */
export function replaceKeys(
  record: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  pointers: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const changed = keys.filter((key) => key in record).map((key) => [key, replace(record[key], pointers)]);
  return { ...record, ...Object.fromEntries(changed) };
}

/** Leaves what is nested too deep as it is. */
function replace(value: unknown, pointers: ReadonlyMap<string, string>, depth = 0): unknown {
  if (typeof value === "string") return pointers.get(value) ?? replaceInJson(value, pointers);
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item) => replace(item, pointers, depth + 1));
  const entries = Object.entries(value).map(([key, item]) => [key, replace(item, pointers, depth + 1)]);
  return Object.fromEntries(entries) as unknown;
}

/** Replaces arguments inside JSON text, the form of OpenAI's raw calls and of stream chunks. */
function replaceInJson(text: string, pointers: ReadonlyMap<string, string>): string {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    const parsed: unknown = JSON.parse(text);
    const replaced = JSON.stringify(replace(parsed, pointers));
    return replaced === JSON.stringify(parsed) ? text : replaced;
  } catch {
    return text;
  }
}
