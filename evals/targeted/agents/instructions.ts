/** Returns a system prompt of about so many tokens, of four characters. Pure. */
export function instructions(tokens: number): string {
  const line = "Work with care, keep to what the user asked, and say what you have done. ";
  return line.repeat(Math.ceil((tokens * 4) / line.length));
}
