import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, toolCalls, type Fold } from "@palimpsest/context";
import {
  contentBlocks,
  isMediaBlock,
  isReasoningBlock,
  type SummaryTokens,
} from "@palimpsest/context/internal";
import type { FoldView, MessageView, ModelUsage } from "../view.js";
import { partOf } from "./part-of.js";

/** Characters of a message, and of the arguments of a tool call, that are sent at first. */
const shown = 4_000;
const shownArgs = 40_000;

/** Returns a message as the page shows it. */
export function messageView(message: BaseMessage, place: number | undefined): MessageView {
  const fold = foldOf(message);
  const { part, tokens } = partOf(message);
  const text = wholeText(message);
  return {
    id: message.id ?? null,
    place: place ?? null,
    type: message.getType(),
    name: message.name ?? null,
    text: text.slice(0, shown),
    characters: text.length,
    reasoning: reasoningOf(message).slice(0, shown),
    calls: toolCalls(message).map(({ name, args }) => {
      const json = JSON.stringify(args);
      return { name, args: json.slice(0, shownArgs), characters: json.length };
    }),
    isFailed: isFailed(message),
    tokens,
    part,
    fold: fold === undefined ? null : foldView(fold),
  };
}

/** Returns the text of a message. A picture or a file is one line. */
export function wholeText(message: BaseMessage): string {
  const media = contentBlocks(message).filter(isMediaBlock);
  const lines = media.map(({ type }) => `[${String(type)}]`);
  return lines.length === 0 ? message.text : [message.text, ...lines].join("\n");
}

/** Returns the arguments of a tool call as JSON; undefined if the message has no such call. */
export function wholeArgs(message: BaseMessage, call: number): string | undefined {
  const found = toolCalls(message)[call];
  return found && JSON.stringify(found.args);
}

/** Returns whether a message is the result of a tool call that failed. */
export function isFailed(message: BaseMessage): boolean {
  return message.getType() === "tool" && (message as { readonly status?: unknown }).status === "error";
}

function reasoningOf(message: BaseMessage): string {
  const kwargs = message.additional_kwargs as { readonly reasoning_content?: unknown };
  const spoken = typeof kwargs.reasoning_content === "string" ? [kwargs.reasoning_content] : [];
  const blocks = contentBlocks(message).filter(isReasoningBlock);
  const texts = blocks.map(({ thinking, reasoning, text }) => thinking ?? reasoning ?? text ?? "[sealed]");
  return [...spoken, ...texts.filter((text) => typeof text === "string")].join("\n");
}

export function foldView({ id, kind, reason = "", covers, path, usage, ...tokens }: Fold): FoldView {
  const { tokensBefore: before, tokensAfter: after } = tokens;
  const view = { id, kind, reason, messages: Math.max(1, covers.length), before, after, path };
  return { ...view, usage: usage === undefined ? null : usageOf(usage) };
}

function usageOf({
  model = "unnamed",
  calls,
  inputTokens,
  cachedTokens,
  outputTokens,
}: SummaryTokens): ModelUsage {
  return { model, calls, input: inputTokens, cached: cachedTokens, cacheWrites: 0, output: outputTokens };
}
