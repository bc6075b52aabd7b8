/** Bounds of an automatic text, and what it is made for. */
export interface BlockTextOptions {
  /** Tokens that the text may have. */
  readonly most: number;
  readonly count: (text: string) => number;
  /** Words of the goal, in lower case: passages with them are kept before others. @default none */
  readonly sought?: ReadonlySet<string> | undefined;
}
