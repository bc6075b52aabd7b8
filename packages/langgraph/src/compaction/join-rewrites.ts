import type { Rewrite } from "@palimpsest/context";

/** Returns one rewrite for two, of which the second was made from the messages of the first. */
export function joinRewrites(first: Rewrite, second: Rewrite): Rewrite {
  return {
    messages: second.messages,
    writes: [...first.writes, ...second.writes],
    folds: [...first.folds, ...second.folds],
    certificates: [...(first.certificates ?? []), ...(second.certificates ?? [])],
  };
}
