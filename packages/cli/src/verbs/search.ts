import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import { CliError } from "../cli-error.js";
import { readState, unfoldState } from "../read-state.js";
import { oneLine } from "../terminal-text.js";
import { countOption, type Verb } from "../verb.js";

interface SearchHit {
  readonly thread: string;
  /** Position in the whole thread, counted from 1. */
  readonly message: number;
  readonly type: string;
  readonly id: string | undefined;
  /** Whether the newest context shows the message word for word. */
  readonly isInContext: boolean;
  readonly excerpt: string;
}

const around = 60;

/** Finds messages of whole threads, folded or not. */
export const search: Verb = {
  name: "search",
  description: "Find the messages that contain all words, in one thread or in all, folded or not",
  args: ["<words...>"],
  options: [
    ["--thread <thread>", "search only this thread"],
    ["--limit <number>", "the most messages to print", "20"],
  ],
  async run({ saver, args, options, progress }) {
    const words = args
      .flatMap((arg) => (arg ?? "").toLowerCase().split(/\s+/u))
      .filter((word) => word !== "");
    const limit = countOption(options, "limit");
    if (words.length === 0) throw new CliError("There is nothing to search for. Pass at least one word.");
    const hits: SearchHit[] = [];
    const only = options["thread"] as string | undefined;
    for (const thread of only === undefined ? await saver.threads() : [only]) {
      progress(`searching ${oneLine(thread, 60)}`);
      const state = await readState(saver, thread);
      const shown = new Set(state.context.filter((message) => !foldOf(message)).map(({ id }) => id));
      const messages = await unfoldState(saver, state);
      hits.push(...find(messages, words).map((hit) => ({ thread, ...hit, isInContext: shown.has(hit.id) })));
      if (hits.length >= limit) break;
    }
    const shown = hits.slice(0, limit);
    const lines = shown.map(
      ({ thread, message, type, isInContext, excerpt }) =>
        `${oneLine(thread, 60)} #${message} ${type}${isInContext ? "" : ", folded"}: ${oneLine(excerpt, 200)}\n`,
    );
    return { data: shown, text: lines.length === 0 ? "Nothing found.\n" : lines.join("") };
  },
};

function find(messages: readonly BaseMessage[], words: readonly string[]) {
  return messages.flatMap((message, index) => {
    const text = searchedText(message);
    const lower = text.toLowerCase();
    const at = lower.indexOf(words[0] ?? "");
    if (!words.every((word) => lower.includes(word))) return [];
    const excerpt = text.slice(Math.max(0, at - around), at + around);
    return [{ message: index + 1, type: message.getType(), id: message.id, excerpt }];
  });
}

function searchedText(message: BaseMessage): string {
  const calls = (message as { tool_calls?: readonly { name: string; args: unknown }[] }).tool_calls ?? [];
  return [message.text, ...calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`)].join("\n");
}
