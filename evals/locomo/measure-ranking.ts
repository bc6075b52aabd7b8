import type { Dialogue, Question } from "../data/dialogue.js";
import { estimateOf, type Estimate } from "../metrics/estimate.js";
import { mean } from "../metrics/quantile.js";
import type { Ranking, Unit } from "./rankings.js";

/** What a ranking shows of the gold evidence, at one budget. */
export interface RankingRecall {
  readonly ranking: string;
  readonly budget: number;
  /** Share of the gold evidence turns. */
  readonly evidence: Estimate | undefined;
  /** Questions for a value that has changed, by the values whose turns are shown. */
  readonly changed: readonly ChangedValue[];
}

/** "old alone": a turn with the old value is shown, and none with the new one. */
export type ChangedValue = "new" | "old alone" | "neither";

interface Found {
  readonly budget: number;
  readonly evidence: number;
  readonly changed: readonly ChangedValue[];
}

export interface MeasureRankingOptions {
  /** Tokens of four characters. */
  readonly budgets: readonly number[];
  /** @default [1] */
  readonly seeds?: readonly number[];
}

/** Returns what a ranking finds at each budget, over all questions of all conversations. */
export async function measureRanking(
  dialogues: readonly Dialogue[],
  ranking: Ranking,
  { budgets, seeds = [1] }: MeasureRankingOptions,
): Promise<readonly RankingRecall[]> {
  const chats: (readonly Found[])[] = [];
  for (const dialogue of dialogues) {
    const found: Found[] = [];
    for (const seed of seeds) {
      const order = ranking.start(dialogue, seed);
      for (const question of dialogue.questions)
        for (const { budget, units } of await showAt(budgets, { ranking, order, question }))
          found.push({ budget, ...look(question, units) });
    }
    chats.push(found);
  }
  return budgets.map((budget) => {
    const ofChats = chats.map((found) => found.filter((one) => one.budget === budget));
    return {
      ranking: ranking.name,
      budget,
      evidence: estimateOf(ofChats.map((found) => found.map(({ evidence }) => evidence))),
      changed: ofChats.flat().flatMap(({ changed }) => changed),
    };
  });
}

/** Returns the evidence that a ranking shows at a budget; undefined where it was not measured. */
export function evidenceAt(
  recalls: readonly RankingRecall[],
  ranking: string,
  budget: number,
): Estimate | undefined {
  return recalls.find((one) => one.ranking === ranking && one.budget === budget)?.evidence;
}

interface Asked {
  readonly ranking: Ranking;
  readonly order: ReturnType<Ranking["start"]>;
  readonly question: Question;
}

interface Shown {
  readonly budget: number;
  readonly units: readonly Unit[];
}

/** Returns what a ranking shows for a question at each budget. One order serves all budgets unless the ranking selects by itself. */
async function showAt(
  budgets: readonly number[],
  { ranking, order, question }: Asked,
): Promise<readonly Shown[]> {
  if (ranking.selects === true)
    return Promise.all(budgets.map(async (budget) => ({ budget, units: await order(question, budget) })));
  const units = await order(question, Math.max(...budgets));
  return budgets.map((budget) => ({ budget, units: fill(units, budget, ranking.stops === true) }));
}

/** Takes units in order while they fit. */
function fill(units: readonly Unit[], budget: number, stops: boolean): readonly Unit[] {
  const taken: Unit[] = [];
  let left = budget;
  for (const unit of units) {
    const tokens = unit.text.length / 4;
    if (tokens <= left) {
      taken.push(unit);
      left -= tokens;
    } else if (stops || left < 4) return taken;
  }
  return taken;
}

function look({ evidence, updated }: Question, units: readonly Unit[]): Omit<Found, "budget"> {
  const turns = new Map<string, number>();
  for (const unit of units)
    for (const [at, id] of unit.evidence.entries())
      turns.set(id, Math.min(1, (turns.get(id) ?? 0) + (unit.shares?.[at] ?? 1)));
  const isShown = (id: string) => turns.has(id);
  const changed = (of: NonNullable<Question["updated"]>): ChangedValue =>
    of.newer.some(isShown) ? "new" : of.older.some(isShown) ? "old alone" : "neither";
  return {
    evidence: mean(evidence.map((id) => turns.get(id) ?? 0)),
    changed: updated === undefined ? [] : [changed(updated)],
  };
}
