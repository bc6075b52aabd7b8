import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { TextSearch, type FoundText } from "../shared/text-search.js";

/** A message that contains all words. Its place is its position in the list. */
export interface FoundMessage extends FoundText {
  readonly type: string;
  readonly id: string | undefined;
}

/** Finds the messages of a list that contain all words, in their text or their tool calls, whatever the case. */
export class MessageSearch {
  readonly #messages: readonly BaseMessage[];
  readonly #search: TextSearch;

  constructor(messages: readonly BaseMessage[]) {
    this.#messages = messages;
    this.#search = new TextSearch(messages.length, (place) => searchedText(messages[place] as BaseMessage));
  }

  /** `words` are in lower case. Newest first; the first call reads every message. */
  find(words: readonly string[], limit: number): readonly FoundMessage[] {
    return this.#search.find(words, limit).map((found) => {
      const message = this.#messages[found.place] as BaseMessage;
      return { ...found, type: message.getType(), id: message.id };
    });
  }
}

function searchedText(message: BaseMessage): string {
  const calls = toolCalls(message).map(({ name, args }) => `${name} ${JSON.stringify(args)}`);
  return calls.length === 0 ? message.text : [message.text, ...calls].join("\n");
}
