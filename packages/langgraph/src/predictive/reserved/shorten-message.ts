import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { type Fold, type TokenCounter } from "@palimpsest/context";
import {
  contentBlocks,
  digest,
  headAndTail,
  isMediaBlock,
  messageText,
  standIn,
} from "@palimpsest/context/internal";
import { textPath, recordPath, type ArchivedSteps } from "../memory/step-archive.js";

export interface ShortenOptions {
  /** Archived step whose only message it is. */
  readonly entry: ArchivedSteps;
  /** Tokens that the shortened message may take. */
  readonly tokens: number;
  readonly count: TokenCounter;
}

export interface ShortenedMessage {
  readonly message: BaseMessage;
  readonly fold: Fold;
}

/**
 * Returns a message with the beginning and the end of its text, and the rules stated between them; undefined if that is not
 * shorter.
 *
 * Images and files stay if they take at most half of the tokens. The archived step holds the original. Pure.
 */
export function shortenMessage(
  message: BaseMessage,
  { entry, tokens, count }: ShortenOptions,
): ShortenedMessage | undefined {
  const path = textPath(entry);
  const draft: Fold = {
    id: `offload-${digest(`${message.id ?? ""} ${path}`)}`,
    kind: "offload",
    path,
    record: recordPath(entry),
    covers: message.id === undefined ? [] : [message.id],
    reason: "predicted",
    tokensBefore: count([message]),
    tokensAfter: 0,
  };
  const media = contentBlocks(message).filter(isMediaBlock);
  const shortened = (text: string, kept: typeof media) =>
    standIn(message, draft, { content: kept.length === 0 ? text : [{ type: "text", text }, ...kept] });
  const kept = count([shortened("", media)]) > tokens / 2 ? [] : media;
  const hidden = media.length - kept.length;
  const note =
    hidden === 0 ? "" : `\n[${hidden} pictures or files left out here. All of the message: ${path}]`;
  const around = count([shortened(note, kept)]) - count([new HumanMessage("")]);
  const text = messageText(message);
  const isLong = count([shortened(text + note, kept)]) > tokens;
  const short = isLong ? headAndTail(text, { tokens: tokens - around, path, tokenCounter: count }) : text;
  const tokensAfter = count([shortened(short + note, kept)]);
  if (tokensAfter >= draft.tokensBefore) return undefined;
  const fold: Fold = { ...draft, tokensAfter };
  return { fold, message: standIn(shortened(short + note, kept), fold, {}) };
}
