const context = /<context>([\s\S]*?)(?:<\/context>|$)/gi;
const goal = /<goal>([\s\S]*?)(?:<\/goal>|$)/gi;

/** Returns what stands in the last `<context>` of a text, also in one that was never closed. */
export function contextTag(text: string): string | undefined {
  return [...text.matchAll(context)].at(-1)?.[1];
}

/** Returns what stands in the last `<goal>` of a text, on one line; undefined for none or an empty one. */
export function goalTag(text: string): string | undefined {
  const found = [...text.matchAll(goal)].at(-1)?.[1]?.replaceAll(/\s+/g, " ").trim();
  return found === "" ? undefined : found;
}

/** Returns a text without its directives. */
export function withoutDirectives(text: string): string {
  return text.replaceAll(context, () => "").replaceAll(goal, () => "");
}
