/** Returns a number with thousands separators. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

/** Returns a number of tokens in at most five characters, such as `950`, `12.3k` or `1.57M`. */
export function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 999_500) return `${(tokens / 1_000).toFixed(tokens < 99_950 ? 1 : 0)}k`;
  return `${(tokens / 1_000_000).toFixed(2)}M`;
}

/** Returns a text in at most `width` characters of one line. */
export function clip(text: string, width: number): string {
  const line = text.replaceAll(/\s+/g, () => " ").trim();
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}
