import type { Dialogue, Question } from "../data/dialogue.js";
import { estimateOf, type Estimate } from "../metrics/estimate.js";
import type { Ranking, Unit } from "./rankings.js";
import { contentStems, stemsOf } from "./words.js";

/** What is looked for in the context: turns with the answer, or its words. */
export type Kind = "evidence" | "answer";

/** What a ranking shows of the gold evidence and of the answers, at one budget. */
export interface RankingRecall {
  readonly ranking: string;
  readonly budget: number;
  /** Share of the gold evidence turns. */
  readonly evidence: Estimate | undefined;
  /** Share of the answer's words. */
  readonly answer: Estimate | undefined;
  /** Evidence recall by category of the question. */
  readonly categories: Readonly<Record<string, number>>;
}

interface Found {
  readonly category: string;
  readonly evidence: number;
  readonly answer: number | undefined;
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
  const found = budgets.map((): Found[][] => []);
  for (const dialogue of dialogues) {
    const own = budgets.map((): Found[] => []);
    for (const seed of seeds) {
      const order = ranking.start(dialogue, seed);
      for (const question of dialogue.questions)
        for (const [at, shown] of (await showAt(budgets, { ranking, order, question })).entries())
          own[at]?.push(look(question, shown));
    }
    own.forEach((questions, at) => found[at]?.push(questions));
  }
  return budgets.map((budget, at) => {
    const ofBudget = found[at] ?? [];
    const all = ofBudget.flat();
    const categories = [...new Set(all.map(({ category }) => category))].toSorted();
    return {
      ranking: ranking.name,
      budget,
      evidence: estimateOf(ofBudget.map((one) => one.map(({ evidence }) => evidence))),
      answer: estimateOf(ofBudget.map((one) => one.flatMap(({ answer }) => answer ?? []))),
      categories: Object.fromEntries(
        categories.map((category) => [
          category,
          meanEvidence(all.filter((one) => one.category === category)),
        ]),
      ),
    };
  });
}

export interface Asked {
  readonly ranking: Ranking;
  readonly order: ReturnType<Ranking["start"]>;
  readonly question: Question;
}

/** Returns the units that a ranking shows for a question at each budget. One order serves all budgets unless the ranking selects by itself. */
export async function showAt(
  budgets: readonly number[],
  { ranking, order, question }: Asked,
): Promise<readonly (readonly Unit[])[]> {
  if (ranking.selects === true) return Promise.all(budgets.map(async (budget) => order(question, budget)));
  const units = await order(question, Math.max(...budgets));
  return budgets.map((budget) => fill(units, budget, ranking.stops === true));
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

function look({ evidence, answer, category }: Question, shown: readonly Unit[]): Found {
  const turns = new Map<string, number>();
  for (const unit of shown)
    for (const [at, id] of unit.evidence.entries())
      turns.set(id, Math.min(1, (turns.get(id) ?? 0) + (unit.shares?.[at] ?? 1)));
  const wanted = contentStems(answer ?? "");
  const said = wanted.filter((word) => shown.some(({ text }) => stemsIn(text).has(word)));
  return {
    category,
    evidence: evidence.reduce((sum, id) => sum + (turns.get(id) ?? 0), 0) / evidence.length,
    answer: wanted.length === 0 ? undefined : said.length / wanted.length,
  };
}

const known = new Map<string, ReadonlySet<string>>();

function stemsIn(text: string): ReadonlySet<string> {
  const seen = known.get(text);
  if (seen !== undefined) return seen;
  const stems = new Set(stemsOf(text));
  known.set(text, stems);
  return stems;
}

function meanEvidence(found: readonly Found[]): number {
  return found.reduce((sum, { evidence }) => sum + evidence, 0) / found.length;
}
