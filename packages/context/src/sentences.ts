/** Returns the sentences and lines of a text, trimmed, without empty ones. */
export function sentences(text: string): readonly string[] {
  return text
    .split(/\n+|(?<=[.!?。！？])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}
