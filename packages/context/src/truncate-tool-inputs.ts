import type { BaseMessage } from "@langchain/core/messages";
import { archiveName } from "./archive-name.js";
import { defaults } from "./defaults.js";
import { digest } from "./digest.js";
import { estimateTokens } from "./estimate-tokens.js";
import { filePathOf } from "./file-calls.js";
import { foldOf, standIn, type Fold } from "./fold.js";
import { inlineText } from "./inline-text.js";
import { replaceInputs } from "./replace-inputs.js";
import { unchanged, type ArchiveWrite, type Rewrite } from "./rewrite.js";
import { toStoredMessage } from "./stored-message.js";
import type { TokenCounter } from "./token-counter.js";
import { toolCalls, type CallInfo } from "./tool-calls.js";
import { unseenStart } from "./unseen-start.js";

export interface TruncateInputsOptions {
  /** Index of the first message to leave alone. @default the first that the model has not been shown */
  readonly end?: number;
  /** Characters of a string argument over which it is replaced. @default 2,000 */
  readonly inputCharacters?: number;
  /** Messages that are never changed. */
  readonly pin?: ((message: BaseMessage) => boolean) | undefined;
  /** @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
}

/**
 * Replaces large string arguments of old tool calls, of any tool, by a pointer to the exact text in the archive.
 *
 * Pure. Each message is changed at most once, and wherever the arguments stand: in `tool_calls`, in the content
 * blocks and raw calls of the provider. Ids, usage and everything else stay.
 */
export function truncateToolInputs(
  messages: readonly BaseMessage[],
  options: TruncateInputsOptions = {},
): Rewrite {
  const unseen = unseenStart(messages);
  const end = Math.min(options.end ?? unseen, unseen);
  const writes: ArchiveWrite[] = [];
  const folds: Fold[] = [];
  const result = messages.map((message, index) => {
    if (index >= end || foldOf(message) || options.pin?.(message)) return message;
    const truncated = truncateMessage(message, { ...options, newest: messages.at(-1)?.id });
    if (truncated === undefined) return message;
    writes.push(...truncated.writes);
    folds.push(truncated.fold);
    return truncated.message;
  });
  return folds.length === 0 ? unchanged(messages) : { messages: result, writes, folds };
}

function truncateMessage(
  message: BaseMessage,
  options: TruncateInputsOptions & { readonly newest: string | undefined },
) {
  const { inputCharacters = defaults.inputCharacters, tokenCounter = estimateTokens } = options;
  const pointers = new Map<string, string>();
  const texts: ArchiveWrite[] = [];
  for (const call of toolCalls(message)) {
    for (const text of largeStrings(call.args, inputCharacters)) {
      const path = `/context/inputs/${archiveName(call.name)}-${digest(text)}.txt`;
      texts.push({ path, content: text.toWellFormed() });
      pointers.set(text, pointer(call, text, path));
    }
  }
  const [first] = texts;
  if (first === undefined) return undefined;
  const original = `${JSON.stringify(toStoredMessage(message))}\n`;
  const record = `/context/inputs/message-${digest(original)}.jsonl`;
  const changes = replaceInputs(message, pointers);
  const fold: Fold = {
    id: `input-${digest(`${message.id ?? ""} ${record}`)}`,
    kind: "input",
    path: first.path,
    record,
    covers: message.id === undefined ? [] : [message.id],
    ...(options.newest === undefined ? {} : { newest: options.newest }),
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

function largeStrings(value: unknown, limit: number): readonly string[] {
  if (typeof value === "string") return value.length > limit ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((item) => largeStrings(item, limit));
}
