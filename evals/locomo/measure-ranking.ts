import type { Dialogue, Question } from "../data/dialogue.js";
import { estimateOf, type Estimate } from "../metrics/estimate.js";
import type { Ranking, Unit } from "./rankings.js";
import { contentStems, stemsOf } from "./words.js";

/** What a ranking shows of the gold evidence and of the answers, at one budget. */
export interface RankingRecall {
  readonly ranking: string;
  readonly budget: number;
  /** Share of the gold evidence turns. */
  readonly evidence: Estimate | undefined;
  /** Share of the answer's words. */
  readonly answer: Estimate | undefined;
  /** Evidence recall by category of the question. */
  readonly categories: Readonly<Record<number, number>>;
}

interface Found {
  readonly category: number;
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
export function measureRanking(
  dialogues: readonly Dialogue[],
  ranking: Ranking,
  { budgets, seeds = [1] }: MeasureRankingOptions,
): readonly RankingRecall[] {
  const ordered = dialogues.map((dialogue) =>
    seeds.flatMap((seed) => {
      const order = ranking.start(dialogue, seed);
      return dialogue.questions.map((question) => ({ question, units: order(question) }));
    }),
  );
  return budgets.map((budget) => {
    const found = ordered.map((questions) =>
      questions.map(({ question, units }) => look(question, fill(units, budget, ranking.stops === true))),
    );
    const all = found.flat();
    const categories = [...new Set(all.map(({ category }) => category))].toSorted((a, b) => a - b);
    return {
      ranking: ranking.name,
      budget,
      evidence: estimateOf(found.map((one) => one.map(({ evidence }) => evidence))),
      answer: estimateOf(found.map((one) => one.flatMap(({ answer }) => answer ?? []))),
      categories: Object.fromEntries(
        categories.map((category) => [
          category,
          meanEvidence(all.filter((one) => one.category === category)),
        ]),
      ),
    };
  });
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
  const turns = new Set(shown.flatMap((unit) => unit.evidence));
  const wanted = contentStems(answer ?? "");
  const said = wanted.filter((word) => shown.some(({ text }) => stemsIn(text).has(word)));
  return {
    category,
    evidence: evidence.filter((id) => turns.has(id)).length / evidence.length,
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
