import type { BaseMessage } from "@langchain/core/messages";
import { contentBlocks } from "../text.js";
import { isReasoningBlock } from "./reasoning.js";
import { isAi, isToolResult } from "../tool-calls.js";

/** How a provider refuses a request for the reasoning in it. Removing the reasoning makes the request legal. */
interface RefusalForm {
  readonly provider: string;
  readonly text: RegExp;
}

const forms: readonly RefusalForm[] = [
  { provider: "anthropic", text: /invalid `?signature`? in `?(redacted_)?thinking`? block/i },
  { provider: "anthropic", text: /`?thinking`? (or `?redacted_thinking`? )?blocks? .*cannot be modified/i },
  { provider: "openai", text: /of type 'reasoning' was provided without its required following item/i },
  { provider: "openai", text: /was provided without its required 'reasoning' item/i },
  { provider: "openai", text: /item with id '?rs_\w+'? not found/i },
  {
    provider: "openai",
    text: /invalid_encrypted_content|encrypted content .*could not be (verified|decrypted)/i,
  },
];

/** A refusal of reasoning. */
export interface RefusedReasoning {
  readonly provider: string;
  /** What the provider said. */
  readonly text: string;
  /** The content block that it named, by position in the request. */
  readonly block?: { readonly message: number; readonly content: number };
}

const badRequest = 400;
const path = /messages\.(\d+)\.content\.(\d+)/;

/**
 * Returns the refusal that an error reports: a status 400 with a text that a provider uses for reasoning it does not
 * accept. Undefined for every other error.
 *
 * Follows `cause`, because hosts wrap the errors of models. Never throws.
 */
export function refusedReasoning(error: unknown): RefusedReasoning | undefined {
  for (let current = error, depth = 0; isObject(current) && depth < 8; depth++) {
    const { message, code, cause } = current;
    const text = [message, code].filter((part) => typeof part === "string").join(" ");
    const form = statusOf(current) === badRequest ? forms.find((each) => each.text.test(text)) : undefined;
    if (form !== undefined) return { provider: form.provider, text, ...blockOf(text) };
    current = cause;
  }
  return undefined;
}

function statusOf(error: Readonly<Record<string, unknown>>): unknown {
  const { status, statusCode, $metadata: aws } = error;
  return status ?? statusCode ?? (isObject(aws) ? aws["httpStatusCode"] : undefined);
}

function blockOf(text: string): Pick<RefusedReasoning, "block"> {
  const [, message, content] = path.exec(text) ?? [];
  if (message === undefined || content === undefined) return {};
  return { block: { message: Number(message), content: Number(content) } };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/**
 * Returns the index of the first message whose reasoning a provider refused: everything from it on is invalid.
 *
 * Clients send leading system messages apart and join neighboring tool results, some of them all neighbors of the user's
 * role: the first message that matches in either form counts. 0 where the error names no block of reasoning. Pure.
 */
export function refusedFrom(messages: readonly BaseMessage[], { block }: RefusedReasoning): number {
  if (block === undefined) return 0;
  const start = messages.findIndex((message) => message.getType() !== "system");
  const sent = messages.slice(Math.max(0, start));
  const found = [isToolResult, isOfUser].flatMap((joins) => {
    const index = wirePositions(sent, joins).indexOf(block.message);
    const named = sent[index];
    const content = named === undefined ? undefined : contentBlocks(named)[block.content];
    return content !== undefined && isReasoningBlock(content) ? [index + Math.max(0, start)] : [];
  });
  return found.length === 0 ? 0 : Math.min(...found);
}

function isOfUser(message: BaseMessage): boolean {
  return !isAi(message) && message.getType() !== "system";
}

/** Returns the position of each message in the request, where neighbors that `joins` accepts are sent as one. */
function wirePositions(
  messages: readonly BaseMessage[],
  joins: (message: BaseMessage) => boolean,
): readonly number[] {
  let position = -1;
  return messages.map((message, index) => {
    const previous = messages[index - 1];
    const isJoined = previous !== undefined && joins(previous) && joins(message);
    return isJoined ? position : ++position;
  });
}
