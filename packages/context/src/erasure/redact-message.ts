import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, sealedText, standIn } from "../folds/fold.js";
import { copyMessage } from "../messages/copy-message.js";
import { isReasoningBlock } from "../messages/provider/reasoning.js";
import { fromStoredMessage, toStoredMessage, type StoredMessage } from "../messages/stored-message.js";
import { contentBlocks, isMediaBlock } from "../messages/text.js";

/** What takes the place of what is erased, and who signs stand-ins again. */
export interface MessageRedaction {
  /** Returns a value of a message without what is erased, and the same value where there is nothing to erase. */
  readonly value: (value: unknown) => unknown;
  /** Text in the place of what is erased. */
  readonly tombstone: string;
  readonly isGenuine: (purpose: "fold" | "held", text: string, seal: string) => boolean;
  readonly sign: (purpose: "fold" | "held", text: string) => string;
}

type Block = ReturnType<typeof contentBlocks>[number];

/**
 * Returns a message without what is erased, and the same message where there is nothing to erase. A stand-in with a genuine seal gets
 * a new one. A picture or file that is erased becomes a text, and a reasoning block is left out: a provider refuses either one when
 * it has changed. Does not modify its input.
 */
export function redactMessage(message: BaseMessage, redaction: MessageRedaction): BaseMessage {
  const changes: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(message)) {
    if (key.startsWith("lc_")) continue;
    const redacted = key === "content" ? redactContent(message, redaction) : redaction.value(value);
    if (redacted !== value) changes[key] = redacted;
  }
  if (Object.keys(changes).length === 0) return message;
  const kwargs = changes["additional_kwargs"] as Record<string, unknown> | undefined;
  if (kwargs !== undefined) changes["additional_kwargs"] = withValidReasoning(message, kwargs);
  return sealedAgain(message, copyMessage(message, changes), redaction);
}

/** Returns a file of stored messages, one on each line, without what is erased. Any other line counts as text. */
export function redactRecord(text: string, redaction: MessageRedaction): string {
  const lines = text.split("\n").map((line) => {
    const message = messageIn(line);
    if (message === undefined) return redaction.value(line) as string;
    const redacted = redactMessage(message, redaction);
    return redacted === message ? line : JSON.stringify(toStoredMessage(redacted));
  });
  return lines.join("\n");
}

function redactContent(message: BaseMessage, redaction: MessageRedaction): unknown {
  const { content } = message;
  if (typeof content === "string") return redaction.value(content);
  const blocks = contentBlocks(message);
  const redacted = blocks.flatMap((block) => redactBlock(block, redaction));
  if (redacted.length === blocks.length && redacted.every((block, at) => block === blocks[at]))
    return content;
  return redacted.length === 0 ? redaction.tombstone : redacted;
}

function redactBlock(block: Block, { value, tombstone }: MessageRedaction): readonly Block[] {
  const redacted = value(block) as Block;
  if (redacted === block) return [block];
  if (isReasoningBlock(block)) return [];
  return [isMediaBlock(block) ? { type: "text", text: tombstone } : redacted];
}

/** Leaves out what OpenAI's client keeps of the reasoning beside the content, if it has changed. */
function withValidReasoning(
  { additional_kwargs: before }: BaseMessage,
  kwargs: Record<string, unknown>,
): Record<string, unknown> {
  const { reasoning, ...others } = kwargs;
  const isChanged = reasoning !== (before as Record<string, unknown>)["reasoning"];
  return isChanged && typeof reasoning === "object" ? others : kwargs;
}

/** A forged stand-in stays forged. */
function sealedAgain(
  before: BaseMessage,
  after: BaseMessage,
  { isGenuine, sign }: MessageRedaction,
): BaseMessage {
  const [old, fold] = [foldOf(before), foldOf(after)];
  if (old?.seal === undefined || fold === undefined) return after;
  const purpose = old.held === undefined ? "fold" : "held";
  if (!isGenuine(purpose, sealedText(before), old.seal)) return after;
  return standIn(after, { ...fold, seal: sign(purpose, sealedText(after)) }, {});
}

function messageIn(line: string): BaseMessage | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return fromStoredMessage(JSON.parse(line) as StoredMessage);
  } catch {
    return undefined;
  }
}
