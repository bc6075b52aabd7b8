import { defaults } from "@palimpsest/context";
import { estimateTextTokens } from "@palimpsest/context/internal";

/** Default maximum of characters of one result of a file tool. */
export const defaultResultCharacters = 20_000;

interface RoomOptions {
  /** @default 20,000, at most as many as the window has tokens */
  readonly resultCharacters?: number;
  /** Tokens of the agent's context window. @default unknown */
  readonly contextWindow?: number;
}

/** Limit of one result. */
export interface ResultRoom {
  readonly characters: number;
  /** Returns the characters that a text counts as: more than its length if it has many tokens. */
  readonly sizeOf: (text: string) => number;
}

/**
 * Share of `batchFraction` for the text of a result. The rest is for its header, and for other counters, which may count more.
 */
const textShare = 0.9;

/**
 * Returns the limit of one result. In a known window, a result of the default size takes at most `batchFraction` of it, even
 * with dense text: otherwise it would become a preview and cost the agent another call.
 */
export function roomOf({ resultCharacters, contextWindow = Infinity }: RoomOptions): ResultRoom {
  const characters = resultCharacters ?? Math.min(defaultResultCharacters, contextWindow);
  const tokens = textShare * defaults.batchFraction * contextWindow;
  // No text has more tokens than characters.
  if (resultCharacters !== undefined || tokens >= characters)
    return { characters, sizeOf: (text) => text.length };
  const each = characters / tokens;
  return { characters, sizeOf: (text) => Math.max(text.length, each * estimateTextTokens(text)) };
}

/** Returns how many of the first characters of a text fit. */
export function fittingCharacters(text: string, { characters, sizeOf }: ResultRoom): number {
  let fitting = Math.min(text.length, Math.floor(characters));
  for (let size = sizeOf(text.slice(0, fitting)); size > characters; size = sizeOf(text.slice(0, fitting)))
    fitting = Math.floor((fitting - 1) * (characters / size));
  return fitting;
}

/** Returns as many whole lines as fit; if some do not, a last line says how many are missing and how to see them. */
export function boundedLines(
  lines: readonly string[],
  { characters, sizeOf }: ResultRoom,
  way: string,
): string {
  let used = 0;
  const fitting = lines.findIndex((line) => (used += sizeOf(line) + 1) > characters);
  if (fitting < 0) return lines.join("\n");
  const shown = lines.slice(0, fitting);
  return [...shown, `[${lines.length - fitting} more: ${way}]`].join("\n");
}
