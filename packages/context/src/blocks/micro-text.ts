import { inlineText } from "../inline-text.js";
import type { BlockTextOptions } from "./block-text-options.js";
import { clipTokens } from "./clip-tokens.js";
import type { Interaction } from "./interaction.js";
import { tellingPart } from "./telling-part.js";

/** Share of the tokens that each part may take; what one leaves over goes to those after it. */
const shares = [
  ["explanation", 0.3],
  ["action", 0.3],
] as const;

/**
 * Returns the automatic summary of one interaction: `explanation | action | observation`, within `most` tokens.
 *
 * Pure, calls no model. Of an observation that does not fit, the passage with the most names, numbers and words of the goal
 * stays.
 */
export function microText(interaction: Interaction, { most, count, sought }: BlockTextOptions): string {
  const parts: string[] = [];
  let left = most;
  for (const [name, share] of shares) {
    const text = clipTokens(oneLine(interaction[name]), Math.floor(most * share), count);
    if (text === "") continue;
    parts.push(text);
    left -= count(text) + 1;
  }
  const observation = tellingPart(oneLine(interaction.observation), { most: left - 1, count, sought });
  if (observation !== "") parts.push(observation);
  return clipTokens(parts.join(" | "), most, count);
}

/** No more of a long text is looked at than a micro summary could ever hold the best of. */
function oneLine(text: string): string {
  return inlineText(text.slice(0, 20_000)).replaceAll(/\s+/g, " ");
}
