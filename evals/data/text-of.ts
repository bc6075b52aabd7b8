import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { messageText, sumOnce } from "@palimpsest/context/internal";

const known = new WeakMap<BaseMessage, string>();

/**
 * Returns the text in which atoms are looked for: the content, then the name and the arguments of each call.
 *
 * Line breaks and quotes of the arguments are unescaped, so that an edited line is found as it is written in the file.
 */
export function textOf(message: BaseMessage): string {
  const seen = known.get(message);
  if (seen !== undefined) return seen;
  const calls = toolCalls(message).map(({ name, args }) => `${name} ${unescaped(JSON.stringify(args))}`);
  const text = [messageText(message), ...calls].join("\n");
  known.set(message, text);
  return text;
}

/** Returns the texts of messages with a single space in place of each run of white space. */
export function oneSpacedOf(messages: readonly BaseMessage[]): string {
  return messages.map(oneSpacedMessage).join(" ");
}

const oneSpacedMessages = new WeakMap<BaseMessage, string>();

function oneSpacedMessage(message: BaseMessage): string {
  const text = oneSpacedMessages.get(message) ?? oneSpaced(textOf(message));
  oneSpacedMessages.set(message, text);
  return text;
}

/** Returns a text with a single space in place of each run of white space. */
export function oneSpaced(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** Returns the tokens of a context in the budgets' unit: four characters. Adds up what is new, so that a timed step pays for no more. */
export const charsOverFour = sumOnce((message) => textOf(message).length / 4);

function unescaped(json: string): string {
  return json.replaceAll("\\n", "\n").replaceAll('\\"', '"');
}
