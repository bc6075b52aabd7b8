/** What the stand-in of a fold may be taken for. */
interface FoldTraits {
  /** It is a message of its own in place of others. Otherwise it is a shorter form of one message. */
  readonly replaces?: true;
  /** It covers everything before it, except carried and system messages. */
  readonly whole?: true;
  /** Its text is a summary of what it covers. */
  readonly summarizes?: true;
  /** The model may not have seen what it covers: as the newest message, it shows new results. */
  readonly showsNew?: true;
}

/** Every kind of fold. */
export const foldKinds = {
  offload: {},
  input: {},
  stale: {},
  mask: {},
  reasoning: {},
  summary: { replaces: true, whole: true, summarizes: true },
  trim: { replaces: true, whole: true, summarizes: true },
  native: { whole: true },
  micro: { replaces: true, summarizes: true },
  macro: { replaces: true, summarizes: true },
  chunk: { replaces: true, showsNew: true },
} as const satisfies Readonly<Record<string, FoldTraits>>;

export type FoldKind = keyof typeof foldKinds;

/** Returns the traits of a kind. */
export function traitsOf(kind: FoldKind): FoldTraits {
  return foldKinds[kind];
}
