/** What the agent asked for again within the next calls after a fold. */
export interface ReworkView {
  readonly fold: string;
  readonly kind: string;
  readonly reason: string;
  /** Id of the checkpoint that made it. */
  readonly checkpoint: string;
  /** The first call that was sent the stand-in, counted from 1. */
  readonly call: number | null;
  /** Tokens. */
  readonly saved: number;
  /** Tool calls that named the originals. */
  readonly originals: number;
  /** Tool calls that were equal to one whose result is folded. */
  readonly repeated: number;
  /** Searches of the archive that named nothing. All folds of one step share them. */
  readonly searched: number;
}

/** The rework after all folds of one kind. */
export interface KindOfRework {
  readonly kind: string;
  readonly folds: number;
  /** Folds after which the agent asked for the originals, or made a covered call again. */
  readonly regretted: number;
  readonly originals: number;
  readonly repeated: number;
}

/** Adds rework up by kind, in the order in which the kinds come first. Pure. */
export function reworkByKind(folds: readonly ReworkView[]): readonly KindOfRework[] {
  const kinds = [...new Set(folds.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const own = folds.filter((one) => one.kind === kind);
    return {
      kind,
      folds: own.length,
      regretted: own.filter(isRegretted).length,
      originals: own.reduce((sum, one) => sum + one.originals, 0),
      repeated: own.reduce((sum, one) => sum + one.repeated, 0),
    };
  });
}

export function isRegretted({ originals, repeated }: ReworkView): boolean {
  return originals + repeated > 0;
}
