import type { Dialogue } from "../data/dialogue.js";
import { estimateOf, type Estimate } from "../metrics/estimate.js";
import type { Lane } from "./lane.js";
import { depths } from "./measure-next-steps.js";

/** What one lane found of the evidence of questions. */
export interface QuestionRecall {
  readonly lane: string;
  /** Share of the gold evidence turns among the first hits. */
  readonly evidence: readonly (Estimate | undefined)[];
}

/** Returns what a lane finds of the turns that answer each question. */
export async function measureQuestions(dialogues: readonly Dialogue[], lane: Lane): Promise<QuestionRecall> {
  const found: number[][][] = [];
  for (const dialogue of dialogues) {
    const searching = lane.start(1);
    for (const [at, { text }] of dialogue.turns.entries()) await searching.add(text, at, true);
    const places = new Map(dialogue.turns.map(({ id }, at) => [id, at]));
    const own: number[][] = [];
    for (const { text, evidence } of dialogue.questions) {
      const hits = (await searching.find(text, Math.max(...depths))).map(({ from }) => from);
      const gold = evidence.flatMap((id) => places.get(id) ?? []);
      own.push(
        depths.map((depth) => gold.filter((at) => hits.slice(0, depth).includes(at)).length / gold.length),
      );
    }
    searching.close?.();
    found.push(own);
  }
  return {
    lane: lane.name,
    evidence: depths.map((_, depth) => estimateOf(found.map((own) => own.map((one) => one[depth] ?? 0)))),
  };
}
