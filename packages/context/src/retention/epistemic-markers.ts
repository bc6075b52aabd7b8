import type { BaseMessage } from "@langchain/core/messages";
import { inlineText, messageText, sentences } from "../messages/text.js";
import { isAi } from "../messages/tool-calls.js";
import { isSummary } from "../folds/fold.js";

/** Five families of words that express doubt (SynthOrg, recommendation 1). Matches straight and curly apostrophes. */
const families: readonly RegExp[] = [
  /\b(wait|hmm|actually|hm|ah)\b/gi,
  /\b(let me reconsider|on second thought|i was wrong)\b/gi,
  /\b(perhaps|alternatively|i['’]m not sure|uncertain)\b/gi,
  /\b(check|verify|double-check|let me verify)\b/gi,
  /\b(but wait|actually no|hold on)\b/gi,
];
/** "Let me check the file" is routine: a sentence with this family alone is a weak marker. */
const ordinary = families[3];

/** Maximum sentences from one span, and maximum sentences among them with ordinary markers alone. */
const maxPoints = { all: 12, ordinary: 3 };
/** Maximum characters of a quoted sentence. */
const quotedCharacters = 200;

/** Returns the distinct doubt markers of a text, in lower case. */
export function epistemicMarkers(text: string): readonly string[] {
  const found = families.flatMap((family) => text.match(family) ?? []);
  return [...new Set(found.map((marker) => marker.toLowerCase()))];
}

/** Returns the number of marker families in a text, 0 to 5; repeated markers of a family count once. */
export function markerFamilies(text: string): number {
  return families.filter((family) => text.search(family) >= 0).length;
}

/**
 * Returns the sentences in which the agent expresses doubt, as quotations: `Agent: "Wait, perhaps the cache is stale."`.
 *
 * Pure. Reads model messages only, without summaries. Keeps at most 12 sentences, preferring more marker families and
 * then newer ones; returns them in thread order.
 */
export function uncertaintyPoints(messages: readonly BaseMessage[]): readonly string[] {
  const own = messages.filter((message) => isAi(message) && !isSummary(message));
  const said = [...new Set(own.flatMap((message) => sentences(messageText(message))))];
  const points = said
    .map((sentence, index) => ({ sentence, index, strength: strengthOf(sentence) }))
    .filter(({ strength }) => strength > 0)
    .toSorted((a, b) => b.strength - a.strength || b.index - a.index);
  const weak = points.filter(({ strength }) => strength < 1).slice(0, maxPoints.ordinary);
  const strong = points.filter(({ strength }) => strength >= 1);
  return [...strong, ...weak]
    .slice(0, maxPoints.all)
    .toSorted((a, b) => a.index - b.index)
    .map(({ sentence }) => `Agent: "${quoted(sentence)}"`);
}

function strengthOf(sentence: string): number {
  const count = markerFamilies(sentence);
  return count === 1 && ordinary !== undefined && sentence.search(ordinary) >= 0 ? 0.5 : count;
}

/** Cuts a long sentence around its first marker, so that the marker stays. */
function quoted(sentence: string): string {
  const text = inlineText(sentence.replace(/\s+/g, " "));
  if (text.length <= quotedCharacters) return text;
  const first = Math.min(...families.map((family) => text.search(family)).filter((at) => at >= 0));
  const start = Math.max(0, Math.min(first - quotedCharacters / 4, text.length - quotedCharacters));
  const part = text.slice(start, start + quotedCharacters).toWellFormed();
  return `${start > 0 ? "… " : ""}${part}${start + quotedCharacters < text.length ? " …" : ""}`;
}
