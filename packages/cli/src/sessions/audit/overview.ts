import type { SessionAudit } from "./audit-session.js";

/** What the compactions of one session lost. */
export interface OverviewRow {
  /** The position of the audit, from 0. */
  readonly at: number;
  readonly name: string;
  readonly compactions: number;
  /** Things that must not be lost, of all compactions together. */
  readonly inSight: number;
  readonly recoverable: number;
  readonly lost: number;
  readonly needed: number;
  /** Tokens of results that were fetched again. */
  readonly reworked: number;
}

/** Returns a row for each audit: worst losses first. Pure. */
export function overviewOf(audits: readonly SessionAudit[]): readonly OverviewRow[] {
  const rows = audits.map(({ session, facts, compactions }, at): OverviewRow => {
    const items = compactions.flatMap((one) => one.items);
    const of = (fate: string): number => items.filter((item) => item.fate === fate).length;
    return {
      at,
      name: facts.title ?? session,
      compactions: compactions.length,
      inSight: of("in sight"),
      recoverable: of("recoverable"),
      lost: of("lost"),
      needed: items.filter(({ neededAt }) => neededAt !== undefined).length,
      reworked: compactions.reduce((sum, { cost }) => sum + cost.rework, 0),
    };
  });
  return rows.toSorted((a, b) => b.lost - a.lost || b.needed - a.needed || b.recoverable - a.recoverable);
}
