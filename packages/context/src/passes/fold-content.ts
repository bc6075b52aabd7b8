import type { BaseMessage } from "@langchain/core/messages";
import { digest } from "../messages/message-id.js";
import { originalMessage } from "../messages/sound/original-message.js";
import { recordText } from "../messages/stored-message.js";
import { bytesOf, mediaOf } from "../messages/media.js";
import {
  blockText,
  contentBlocks,
  inlineText,
  isMediaBlock,
  messageText,
  type Block,
} from "../messages/text.js";
import { estimateTextTokens } from "../tokens/estimate-tokens.js";
import { imageTokens, mediaTokens } from "../tokens/media-tokens.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { mediaFile, resultFiles, type Lane, type LaneOptions } from "../folds/archive-paths.js";
import { foldOf, standIn, usesFoldKey, type Fold, type FoldKind } from "../folds/fold.js";
import type { ArchiveWrite, Rewrite } from "../folds/rewrite.js";

export interface FoldContentOptions extends LaneOptions {
  readonly kind: FoldKind;
  readonly tokenCounter: TokenCounter;
  /** Id of the newest message of the context, if the model has seen the content. */
  readonly newest?: string | undefined;
  /** Share of the message's tokens; the stand-in must have fewer. @default 1 */
  readonly maxShare?: number;
  /** Returns the text that the model reads in place of the content. */
  readonly describe: (content: { readonly text: string; readonly path: string }) => string;
}

export interface FoldedContent {
  readonly message: BaseMessage;
  readonly fold: Fold;
  readonly writes: readonly ArchiveWrite[];
}

/** Returns the rewrite with these messages and all writes and folds of the folded contents. */
export function rewriteOf(messages: readonly BaseMessage[], folded: readonly FoldedContent[]): Rewrite {
  return { messages, writes: folded.flatMap(({ writes }) => writes), folds: folded.map(({ fold }) => fold) };
}

/**
 * Replaces the content of a message by a short text with a path, and returns the files to archive first.
 *
 * Pure and deterministic: the file name is derived from the content, so equal contents have the same path. Images among the
 * blocks stay; a file that costs more than an image gets a path of its own. Returns undefined when the stand-in exceeds `maxShare`, or when the message is a stand-in
 * of a kind that cannot be shortened further.
 */
export function foldContent(
  message: BaseMessage,
  { kind, tokenCounter, newest, describe, maxShare = 1, lane }: FoldContentOptions,
): FoldedContent | undefined {
  const earlier = foldOf(message);
  if (earlier !== undefined && earlier.kind !== "offload") return undefined;
  const source = earlier === undefined ? archived(message, lane) : { ...earlier, text: "", writes: [] };
  const { kept: media, notes, writes } = cutFiles(message, lane);
  const isOnlyFiles = earlier === undefined && source.text === "" && notes.length > 0;
  const said = isOnlyFiles ? [] : [describe({ text: source.text, path: source.path })];
  const text = [...said, ...notes].join("\n");
  const content = media.length === 0 ? text : [{ type: "text", text }, ...media];
  const tokensBefore = tokenCounter([message]);
  const draft: Fold = {
    id: `${kind}-${digest(`${message.id ?? ""} ${source.path}`)}`,
    kind,
    path: source.path,
    ...(source.record === undefined ? {} : { record: source.record }),
    covers: message.id === undefined ? [] : [message.id],
    ...(newest === undefined ? {} : { newest }),
    ...(source.held === undefined ? {} : { held: source.held }),
    tokensBefore: earlier?.tokensBefore ?? tokensBefore,
    tokensAfter: 0,
  };
  // Counters ignore metadata: set `tokensAfter` in place instead of copying the message again.
  const replacement = standIn(message, draft, { content });
  const tokensAfter = tokenCounter([replacement]);
  if (tokensAfter >= tokensBefore * maxShare) return undefined;
  const fold = Object.assign(draft, { tokensAfter });
  return { message: replacement, fold, writes: [...source.writes, ...writes] };
}

interface Archived extends Pick<Fold, "path" | "record" | "held"> {
  readonly text: string;
  readonly writes: readonly ArchiveWrite[];
}

/**
 * Archives string content unchanged. Adds a lossless record for content blocks, for text that UTF-8 cannot represent, for a
 * message that readers see in another form, and for one that has its own value under the key of the fold.
 */
function archived(message: BaseMessage, lane: Lane | undefined): Archived {
  const content: unknown = message.content;
  const text = typeof content === "string" ? content : readable(message);
  const { path, recordOf } = resultFiles(message.name ?? message.getType(), text, lane);
  const isWhole = originalMessage(message) === message;
  if (typeof content === "string" && content.isWellFormed() && isWhole && !usesFoldKey(message)) {
    return { text, path, writes: [{ path, content: text }] };
  }
  const original = recordText([message]);
  const record = recordOf(original);
  const writes = [
    { path, content: text.toWellFormed() },
    { path: record, content: original },
  ];
  return { text, path, record, writes };
}

function readable(message: BaseMessage): string {
  return contentBlocks(message)
    .filter((block) => !isMediaBlock(block))
    .map((block) => blockText(block) ?? JSON.stringify(block, null, 2))
    .join("\n");
}

interface CutFiles {
  /** The images and files that stay in the message. */
  readonly kept: readonly Block[];
  /** A line for each file that was cut out: what it is, and where. */
  readonly notes: readonly string[];
  readonly writes: readonly ArchiveWrite[];
}

const noteStart = "[File moved out of the context:";

/**
 * Parts the images and files of a message: those that cost more than an image, such as a PDF, a recording or a long text, become
 * files of the archive, as data URLs. Equal files have the same path. A stand-in has the notes of its files already.
 */
function cutFiles(message: BaseMessage, lane: Lane | undefined): CutFiles {
  const media = contentBlocks(message).filter(isMediaBlock);
  const large = media.filter(isLarge).flatMap((block) => cutFile(block, lane) ?? []);
  const shown = foldOf(message) === undefined ? [] : messageText(message).split("\n");
  return {
    kept: media.filter((block) => !isLarge(block)),
    notes: [...shown.filter((line) => line.startsWith(noteStart)), ...large.map(({ note }) => note)],
    writes: large.map(({ write }) => write),
  };
}

function cutFile(
  block: Block,
  lane: Lane | undefined,
): { readonly note: string; readonly write: ArchiveWrite } | undefined {
  const media = mediaOf(block);
  const write = mediaFile(media, lane);
  if (write === undefined) return undefined;
  const { mimeType, base64 = "", name } = media;
  const tokens = mediaTokens(block, estimateTextTokens);
  const called = name === undefined ? "" : `${inlineText(name, 80)}, `;
  const size = `${called}${mimeType}, ${bytesOf(base64)} bytes, about ${tokens} tokens`;
  return { note: `${noteStart} ${size}. read_file shows it again: ${write.path}]`, write };
}

function isLarge(block: Block): boolean {
  return mediaTokens(block, estimateTextTokens) > imageTokens;
}
