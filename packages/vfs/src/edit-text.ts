import { showValue } from "./show-value.js";

export interface TextEdit {
  readonly oldString: string;
  readonly newString: string;
  /** @default false */
  readonly replaceAll?: boolean;
}

export type EditedText =
  | { readonly content: string; readonly occurrences: number }
  | { readonly error: string };

/**
 * Returns the text with the old string replaced, or why it was not. Pure; both strings are plain text.
 * An empty old string fills an empty text.
 */
export function editText(
  content: string,
  { oldString, newString, replaceAll = false }: TextEdit,
): EditedText {
  if (typeof oldString !== "string" || typeof newString !== "string") {
    return { error: "An edit needs two strings: the text to replace and the text to put there." };
  }
  if (content === "" && oldString === "") return { content: newString, occurrences: 0 };
  if (oldString === "") return { error: "The text to replace is empty. Give the exact text to replace." };
  if (oldString === newString)
    return { error: "The new text equals the old text: there is nothing to change." };
  const pieces = content.split(oldString);
  const occurrences = pieces.length - 1;
  if (occurrences === 0) return { error: explainAbsence(content, oldString) };
  if (occurrences > 1 && !replaceAll) {
    return {
      error:
        `${showValue(oldString)} is there ${occurrences} times. ` +
        "Add surrounding lines until it is unique, or replace all of them.",
    };
  }
  return { content: pieces.join(newString), occurrences };
}

function explainAbsence(content: string, oldString: string): string {
  const missing = `${showValue(oldString)} is there 0 times.`;
  if (
    content.includes("\r\n") &&
    content.replaceAll("\r\n", "\n").includes(oldString.replaceAll("\r\n", "\n"))
  ) {
    return `${missing} The lines of the file end in \\r\\n: edit within one line, or write \\r\\n between lines.`;
  }
  return `${missing} Read the file again and copy the text exactly, with its spaces and line breaks.`;
}
