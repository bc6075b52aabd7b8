import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";

/** A message that contains all words. */
export interface FoundMessage {
  /** Position in the list, counted from 0. */
  readonly place: number;
  readonly type: string;
  readonly id: string | undefined;
  /** Text around the first word. */
  readonly excerpt: string;
}

/** Characters before and after the first word. */
const around = 60;

/** Returns the words of a query in lower case. Pure. */
export function wordsOf(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
}

/** Finds the messages of a list that contain all words, in their text or their tool calls, whatever the case. */
export class MessageSearch {
  readonly #messages: readonly BaseMessage[];
  #texts: readonly string[] | undefined;

  constructor(messages: readonly BaseMessage[]) {
    this.#messages = messages;
  }

  /** `words` are in lower case. Newest first; the first call reads every message. */
  find(words: readonly string[], limit: number): readonly FoundMessage[] {
    this.#texts ??= this.#messages.map((message) => searchedText(message).toLowerCase());
    const found: FoundMessage[] = [];
    for (let place = this.#texts.length - 1; place >= 0 && found.length < limit; place--) {
      const text = this.#texts[place] ?? "";
      if (words.every((word) => text.includes(word))) found.push(this.#found(place, text, words[0] ?? ""));
    }
    return found;
  }

  #found(place: number, lower: string, word: string): FoundMessage {
    const message = this.#messages[place] as BaseMessage;
    const at = lower.indexOf(word);
    const excerpt = searchedText(message).slice(Math.max(0, at - around), at + around);
    return { place, type: message.getType(), id: message.id, excerpt };
  }
}

function searchedText(message: BaseMessage): string {
  const calls = toolCalls(message).map(({ name, args }) => `${name} ${JSON.stringify(args)}`);
  return calls.length === 0 ? message.text : [message.text, ...calls].join("\n");
}
