import type { BaseMessage } from "@langchain/core/messages";
import type { FoldedContent } from "./fold-content.js";
import { replyPath, replyRecord, type LaneOptions } from "../folds/archive-paths.js";
import { foldOf, hasLostReasoning, standIn, type Fold } from "../folds/fold.js";
import type { ArchiveWrite } from "../folds/rewrite.js";
import { digest } from "../messages/message-id.js";
import { recordText } from "../messages/stored-message.js";
import { contentBlocks } from "../messages/text.js";
import { isAi } from "../messages/tool-calls.js";
import { defaults } from "../options.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { preview } from "./offload-large-tool-results.js";
import { replaceKeys } from "./truncate-tool-inputs.js";

export interface ShortenReplyOptions extends LaneOptions {
  /** Characters; a longer text is replaced. */
  readonly characters: number;
  /** Id of the newest message of the context. */
  readonly newest: string | undefined;
  readonly tokenCounter: TokenCounter;
}

/**
 * Replaces the long texts of an AI message by path and first lines. Returns undefined when that does not make it smaller.
 *
 * Pure. Calls, reasoning, ids and usage stay. Replaces each text in the content and in the raw output of the response.
 */
export function shortenReply(
  message: BaseMessage,
  { characters, newest, tokenCounter, lane }: ShortenReplyOptions,
): FoldedContent | undefined {
  if (!isAi(message) || foldOf(message)?.kind === "offload") return undefined;
  const texts = contentBlocks(message).flatMap(({ type, text }) =>
    type === "text" && typeof text === "string" && text.length > characters ? [text] : [],
  );
  if (texts.length === 0) return undefined;
  const writes: ArchiveWrite[] = [];
  const pointers = new Map<string, string>();
  for (const text of texts) {
    const path = replyPath(text, lane);
    writes.push({ path, content: text.toWellFormed() });
    pointers.set(text, `[Text of ${text.length} characters archived: ${path}]\n${preview(text, defaults)}`);
  }
  const original = recordText([message]);
  const record = replyRecord(original, lane);
  const draft: Fold = {
    id: `offload-${digest(`${message.id ?? ""} ${record}`)}`,
    kind: "offload",
    path: writes[0]?.path ?? record,
    record,
    covers: message.id === undefined ? [] : [message.id],
    ...(newest === undefined ? {} : { newest }),
    ...(hasLostReasoning(message) ? { lostReasoning: true as const } : {}),
    tokensBefore: tokenCounter([message]),
    tokensAfter: 0,
  };
  const replacement = standIn(message, draft, replaceTexts(message, pointers));
  const fold = Object.assign(draft, { tokensAfter: tokenCounter([replacement]) });
  if (fold.tokensAfter >= fold.tokensBefore) return undefined;
  return { message: replacement, fold, writes: [...writes, { path: record, content: original }] };
}

function replaceTexts(
  { content, response_metadata: response }: BaseMessage,
  pointers: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  const shorter = (text: unknown) => (typeof text === "string" ? (pointers.get(text) ?? text) : text);
  const blocks = Array.isArray(content)
    ? content.map((block) => (block.type === "text" ? { ...block, text: shorter(block["text"]) } : block))
    : shorter(content);
  const raw = response as Record<string, unknown> | undefined;
  return {
    content: blocks,
    ...(raw?.["output"] === undefined ? {} : { response_metadata: replaceKeys(raw, ["output"], pointers) }),
  };
}
