/** Returns a text whose last quotation ends: a cut may have taken its end away. Pure. */
export function closed(text: string): string {
  return text.lastIndexOf("“") > text.lastIndexOf("”") ? `${text}”` : text;
}

/** Returns the parts between separators, where those inside a quotation separate nothing. Pure. */
export function splitOutside(text: string, separators: RegExp): readonly string[] {
  return text.split(new RegExp(`(?:${separators.source})(?![^“”]*”)`));
}
