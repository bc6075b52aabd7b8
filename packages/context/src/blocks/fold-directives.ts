import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "../message-text.js";
import { isAi, toolCalls } from "../tool-calls.js";
import { contextTag } from "./directive-tags.js";
import { checkDirective, parseDirective, type ParsedDirective } from "./parse-directive.js";

/** Name of the tool by which the model asks for a fold. */
export const foldContextName = "fold_context";

/** A directive and how it came. Who called the tool is answered by the tool. */
export type GivenDirective = ParsedDirective & { readonly by: "tool" | "text" };

/**
 * Returns what one of the model's messages says about folding, or undefined when it says nothing. Pure, never throws.
 *
 * A `fold_context` call goes before a `<context>` in the text; of several calls the first valid one counts.
 */
export function directiveIn(message: BaseMessage | undefined): GivenDirective | undefined {
  if (message === undefined || !isAi(message)) return undefined;
  const calls = toolCalls(message).filter(({ name }) => name === foldContextName);
  const called = calls.map(({ args }) => checkDirective(args));
  const best = called.find((one) => "directive" in one) ?? called[0];
  if (best !== undefined) return { ...best, by: "tool" };
  const tag = contextTag(messageText(message));
  return tag === undefined ? undefined : { ...parseDirective(tag), by: "text" };
}
