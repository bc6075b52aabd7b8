/** Converts any text, such as a hostile tool name, to a file name part of at most 40 safe characters. */
export function archiveName(text: string): string {
  const safe = text.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+|-+$/g, "");
  return safe.slice(0, 40) || "message";
}
