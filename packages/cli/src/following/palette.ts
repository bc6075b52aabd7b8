import type { parts } from "@palimpsest/inspector";

/** The colors of the page, as the nearest of the 256 of a terminal. */
const colors: Readonly<Record<(typeof parts)[number], number>> = {
  system: 247,
  user: 67,
  assistant: 72,
  reasoning: 103,
  results: 186,
  previews: 179,
  summaries: 173,
  blocks: 131,
};

/** Returns text in the color that a part of the prompt has on the page. Pure. */
export function painted(part: (typeof parts)[number], text: string): string {
  return text === "" ? "" : `\u001b[38;5;${colors[part]}m${text}\u001b[39m`;
}
