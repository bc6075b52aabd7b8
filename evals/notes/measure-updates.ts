import type { Dialogue } from "../data/dialogue.js";
import { showAt } from "../locomo/measure-ranking.js";
import type { Ranking } from "../locomo/rankings.js";

/** What a ranking shows of values that have changed, at one budget. */
export interface UpdateRecall {
  readonly ranking: string;
  readonly budget: number;
  readonly questions: number;
  /** Questions for which a turn with the new value is shown. */
  readonly newer: number;
  /** Questions for which a turn with the old value is shown, and none with the new one. */
  readonly stale: number;
}

/** Returns what a ranking shows of the values that changed, over all conversations. */
export async function measureUpdates(
  dialogues: readonly Dialogue[],
  ranking: Ranking,
  budgets: readonly number[],
): Promise<readonly UpdateRecall[]> {
  const counts = budgets.map((budget) => ({
    ranking: ranking.name,
    budget,
    questions: 0,
    newer: 0,
    stale: 0,
  }));
  for (const dialogue of dialogues) {
    const order = ranking.start(dialogue, 1);
    for (const question of dialogue.questions) {
      const { updated } = question;
      if (updated === undefined) continue;
      for (const [at, units] of (await showAt(budgets, { ranking, order, question })).entries()) {
        const shown = new Set(units.flatMap(({ evidence }) => evidence));
        const hasNewer = updated.newer.some((id) => shown.has(id));
        const count = counts[at];
        if (count === undefined) continue;
        count.questions += 1;
        if (hasNewer) count.newer += 1;
        else if (updated.older.some((id) => shown.has(id))) count.stale += 1;
      }
    }
  }
  return counts;
}
