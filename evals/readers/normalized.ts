/** Returns the words of a text in lower case, one space between them: markup and breaks of lines are no part of what was said. */
export function normalized(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
