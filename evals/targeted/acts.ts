import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { textOf } from "../data/text-of.js";
import type { Vocabulary } from "./task.js";

/** Returns all that a prompt shows. Pure. */
export function shown(prompt: readonly BaseMessage[]): string {
  return prompt.map(textOf).join("\n");
}

/** Returns an answer that calls one tool. Pure: the id follows from the prompt's length and the arguments. */
export function act(prompt: readonly BaseMessage[], name: string, args: Record<string, unknown>): AIMessage {
  const id = `call-${prompt.at(-1)?.id ?? prompt.length}-${name}`;
  return new AIMessage({ content: "", tool_calls: [{ id, name, args, type: "tool_call" }] });
}

/** Returns what was called since the user last spoke. Pure. */
export function callsOfTurn(prompt: readonly BaseMessage[]): ReturnType<typeof toolCalls> {
  const asked = prompt.findLastIndex((message) => message.id?.startsWith("turn-") === true);
  return prompt.slice(asked + 1).flatMap((message) => toolCalls(message));
}

const readAtMost = 4;

/**
 * Returns the next try to find what left the prompt: a search for it, then the files that the prompt names, newest
 * first. Undefined when nothing is left to try. Pure.
 */
export function lookUp(
  prompt: readonly BaseMessage[],
  pattern: string,
  { grep, pathArgument }: Vocabulary,
): AIMessage | undefined {
  const calls = callsOfTurn(prompt);
  if (!calls.some(({ name }) => name === "grep")) return act(prompt, "grep", grep(pattern));
  const reads = calls.filter(({ name }) => name === "read_file");
  const read = new Set(reads.map(({ args }) => args[pathArgument]));
  const named = [...shown(prompt).matchAll(/\/[\w./-]+\.(?:md|txt|jsonl?)\b/g)].map(([path]) => path);
  const next = named.findLast((path) => !read.has(path));
  if (next === undefined || reads.length >= readAtMost) return undefined;
  return act(prompt, "read_file", { [pathArgument]: next });
}
