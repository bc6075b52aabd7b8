import type { MustKeepAtom, MustKeepKind } from "./must-keep.js";

/** What became of the strings that must not be lost when messages are folded. */
export interface Certificate {
  /** Id of the fold. */
  readonly fold: string;
  /** Archive path at which a person can read it whole. */
  readonly path: string;
  /** Archive path of the folded messages. */
  readonly originals: string;
  /** How many strings were looked for. */
  readonly atoms: number;
  /** How many of them stand in what the model sees. */
  readonly kept: number;
  /** How many do not, and stand in `originals`, which the model is shown. */
  readonly retrievable: number;
  /** Those that are in neither. */
  readonly lost: readonly MustKeepAtom[];
  /** Lines that were put back word for word. */
  readonly excerpts: number;
  /** `atoms`, `kept` and `retrievable` of each kind. */
  readonly kinds: Readonly<Partial<Record<MustKeepKind, KindCount>>>;
}

export interface KindCount {
  readonly atoms: number;
  readonly kept: number;
  readonly retrievable: number;
}
