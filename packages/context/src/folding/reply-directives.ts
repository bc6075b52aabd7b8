import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../messages/copy-message.js";
import { messageText } from "../messages/text.js";
import { isAi, toolCalls } from "../messages/tool-calls.js";
import { checkDirective, objectIn, parseDirective, type ParsedDirective } from "./directives.js";

/** Name of the tool by which the model asks for a fold. */
export const foldContextName = "fold_context";

/** A directive or a refusal, with its origin. The tool itself answers a directive that came by a call. */
export type ReplyDirective = Exclude<ParsedDirective, { readonly none: true }> & {
  readonly by: "tool" | "text";
};

/**
 * Returns the fold directive of a model message, or undefined when it has none. Pure, never throws.
 *
 * A `fold_context` call takes precedence over a `<context>` in the text; of several calls the first valid one counts.
 */
export function directiveIn(message: BaseMessage | undefined): ReplyDirective | undefined {
  if (message === undefined || !isAi(message)) return undefined;
  const calls = toolCalls(message).filter(({ name }) => name === foldContextName);
  const called = calls.map(({ args }) => checkDirective(args));
  const best = called.find((one) => "directive" in one) ?? called[0];
  if (best !== undefined) return "none" in best ? undefined : { ...best, by: "tool" };
  const tag = contextTag(saidText(message));
  const parsed = tag === undefined ? undefined : parseDirective(tag);
  return parsed === undefined || "none" in parsed ? undefined : { ...parsed, by: "text" };
}

/** Key in `additional_kwargs`, which no provider receives, for the directives removed from a message. */
const strippedKey = "palimpsest_directives";

/** Returns the text of a message together with the directives that `stripMessage` removed. */
export function saidText(message: BaseMessage): string {
  const stripped = message.additional_kwargs?.[strippedKey];
  return typeof stripped === "string" ? `${messageText(message)}\n${stripped}` : messageText(message);
}

/**
 * Returns a message for the user to read: its text without fold directives. They move into its metadata, where they
 * still take effect. Returns the same object when it has no directives, or no other text. Pure.
 */
export function stripMessage<Message extends BaseMessage>(message: Message): Message {
  const { content, additional_kwargs: kwargs } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const found: string[] = [];
  const left = blocks.flatMap((block) => {
    if (block.type !== "text" || typeof block["text"] !== "string") return [block];
    const text = stripDirectives(block["text"]);
    if (text === block["text"]) return [block];
    found.push(...(block["text"].match(tags) ?? []));
    return text === "" ? [] : [{ ...block, text }];
  });
  if (found.length === 0 || left.length === 0) return message;
  const [first] = left;
  return copyMessage(message, {
    content: typeof content === "string" ? (first as { readonly text: string }).text : left,
    additional_kwargs: { ...kwargs, [strippedKey]: found.join("\n") },
  });
}

const context = /<context>([\s\S]*?)(?:<\/context>|$)/gi;
const goal = /<goal>([\s\S]*?)(?:<\/goal>|$)/gi;

/** Returns the content of the last `<context>` of a text, closed or not. */
export function contextTag(text: string): string | undefined {
  return [...text.matchAll(context)].at(-1)?.[1];
}

/** Returns the content of the last `<goal>` of a text on one line; undefined for none or an empty one. */
export function goalTag(text: string): string | undefined {
  const found = [...text.matchAll(goal)].at(-1)?.[1]?.replaceAll(/\s+/g, " ").trim();
  return found === "" ? undefined : found;
}

/** Returns the explanation in the `latest` of a `<context>`, for a reply without other text. Never throws. */
export function latestIn(text: string): string {
  const tag = contextTag(text) ?? "";
  const value = objectIn(tag);
  const latest = (
    value as { readonly latest?: string | { readonly explanation?: unknown } | null } | undefined
  )?.latest;
  const said = typeof latest === "string" ? latest : latest?.explanation;
  return typeof said === "string" ? said : "";
}

/** Directives to hide from the user: `<context>` around an object, and goals. Other uses of the tags belong to the answer. */
const tags = /<context>\s*(?:```\w*\s*)?\{[\s\S]*?(?:<\/context>|$)|<goal>[\s\S]*?<\/goal>/gi;

/**
 * Returns a text, such as the agent's final answer, without its fold directives: `<context>{…}</context>` and
 * `<goal>…</goal>`. Pure; returns a text without directives unchanged.
 */
export function stripDirectives(text: string): string {
  const stripped = text.replaceAll(tags, () => "");
  return stripped === text ? text : stripped.trim();
}
