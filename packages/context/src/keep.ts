/** How much of the newest context a compaction leaves as it is. Exactly one of the three. */
export type Keep =
  | { readonly tokens: number }
  | { readonly messages: number }
  | { readonly fraction: number };

/** Returns the tokens that a keep allows, or undefined when it counts messages. */
export function keepTokens(keep: Keep, contextWindow: number | undefined): number | undefined {
  if ("tokens" in keep) return keep.tokens;
  if ("fraction" in keep) return keep.fraction * (contextWindow ?? Infinity);
  return undefined;
}
