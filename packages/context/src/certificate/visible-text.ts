import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "../message-text.js";
import { toolCalls } from "../tool-calls.js";

/** Returns what a model reads of messages as one text: content and calls, spaces as they are. Pure. */
export function visibleText(messages: readonly BaseMessage[]): string {
  return messages
    .map((message) => {
      const calls = toolCalls(message).map(({ name, args }) => `${name} ${unescaped(JSON.stringify(args))}`);
      return [messageText(message), ...calls].join("\n");
    })
    .join("\n");
}

/** Returns JSON in which the text of strings stands as it is read, not as it is escaped. */
export function unescaped(json: string): string {
  return json.replace(/\\(["\\nt])/g, (_, character: string) => {
    if (character === "n") return "\n";
    return character === "t" ? "\t" : character;
  });
}

// oxlint-disable-next-line no-control-regex -- entries of a summary have no controls, so neither may what they are held against
const control = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;

/** Returns a text with every run of spaces as one, and without control characters. */
export function oneSpaced(text: string): string {
  return text
    .toWellFormed()
    .replace(control, "")
    .replace(/ \s+|[^\S ]\s*/g, " ")
    .trim();
}

/** Returns what says whether a string stands in a text, in whatever way its lines are broken or its quotes escaped. */
export function finder(text: string): (needle: string) => boolean {
  const forms = bothForms(text);
  return (needle) => {
    const needles = bothForms(needle);
    return forms.some((form) => needles.some((one) => form.includes(one)));
  };
}

/** Most texts have no escapes, and then one form. */
function bothForms(text: string): readonly string[] {
  const spaced = oneSpaced(text);
  return text.includes("\\") ? [spaced, oneSpaced(unescaped(text))] : [spaced];
}
