/** Returns a regular expression source that matches the text itself. Pure. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, (character) => `\\${character}`);
}
