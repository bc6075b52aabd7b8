/** Five families of words by which a model shows doubt (SynthOrg, recommendation 1). */
const families: readonly RegExp[] = [
  /\b(wait|hmm|actually|hm|ah)\b/gi,
  /\b(let me reconsider|on second thought|i was wrong)\b/gi,
  /\b(perhaps|alternatively|i'm not sure|uncertain)\b/gi,
  /\b(check|verify|double-check|let me verify)\b/gi,
  /\b(but wait|actually no|hold on)\b/gi,
];

/** Returns the words of doubt in a text, in lower case, each once. */
export function epistemicMarkers(text: string): readonly string[] {
  const found = families.flatMap((family) => text.match(family) ?? []);
  return [...new Set(found.map((marker) => marker.toLowerCase()))];
}

/** Returns how many of the five families of words of doubt a text holds: a density, not a count of words. */
export function markerFamilies(text: string): number {
  return families.filter((family) => text.search(family) >= 0).length;
}
