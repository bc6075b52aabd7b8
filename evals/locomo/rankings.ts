import type { Dialogue, Question } from "../data/dialogue.js";
import { randomFrom } from "../data/random-from.js";
import { WordIndex } from "../policies/word-index.js";
import { stemsOf } from "./words.js";
import { byScore } from "../metrics/by-score.js";

/** A text that can be shown, and the turns that it stands for. */
export interface Unit {
  readonly text: string;
  readonly evidence: readonly string[];
  /** Share of each turn's characters that the text shows. @default all of them */
  readonly shares?: readonly number[];
}

/** Ranks units for a question, most preferred first. */
export interface Ranking {
  readonly name: string;
  /** Stops at the first unit that does not fit, instead of skipping it. @default false */
  readonly stops?: boolean;
  /** Selects within the budget by itself, so that its units are shown as they are. @default false */
  readonly selects?: boolean;
  /** Prepares a conversation; returns the order for each of its questions. The budget is in tokens. */
  readonly start: (
    dialogue: Dialogue,
    seed: number,
  ) => (question: Question, budget: number) => readonly Unit[] | Promise<readonly Unit[]>;
}

export const recency: Ranking = {
  name: "recency",
  stops: true,
  start: (dialogue) => {
    const newest = turnsOf(dialogue).toReversed();
    return () => newest;
  },
};

export const random: Ranking = {
  name: "random (control)",
  start: (dialogue, seed) => {
    const units = turnsOf(dialogue);
    const draw = randomFrom(seed);
    return () => byScore(units, units.map(draw));
  },
};

export const bm25 = lexical("BM25", turnsOf);

/** A turn answers what the one before asked: each gets half of its neighbours' scores. */
export const bm25Neighbours = lexical("BM25 ± 1 turn", turnsOf, (scores) =>
  scores.map((score, at) => score + 0.5 * (scores[at - 1] ?? 0) + 0.5 * (scores[at + 1] ?? 0)),
);

/** BM25 over the turns of the first speaker: in a chat with an assistant, those of the user. */
export const bm25FirstSpeaker = lexical("BM25, user turns alone", ({ turns }) =>
  turnsOf({ turns: turns.filter(({ speaker }) => speaker === turns[0]?.speaker) }),
);

export const observations = lexical("recorded observations, BM25", ({ observations: notes }) => notes);

/** The turns with the answer first, then by BM25: the ceiling. It reads the gold evidence. */
export const oracle: Ranking = {
  name: "oracle (ceiling)",
  start: (dialogue, seed) => {
    const order = bm25.start(dialogue, seed);
    return async (question, budget) => {
      const units = await order(question, budget);
      const isGold = ({ evidence: [turn = ""] }: Unit) => question.evidence.includes(turn);
      return byScore(units, units.map(isGold).map(Number));
    };
  },
};

export function turnsOf({ turns }: Pick<Dialogue, "turns">): readonly Unit[] {
  return turns.map(({ id, text }) => ({ text, evidence: [id] }));
}

function lexical(
  name: string,
  unitsOf: (dialogue: Dialogue) => readonly Unit[],
  smooth = (scores: readonly number[]): readonly number[] => scores,
): Ranking {
  return {
    name,
    start: (dialogue) => {
      const units = unitsOf(dialogue);
      const index = new WordIndex();
      for (const { text } of units) index.add(stemsOf(text));
      return ({ text }) => byScore(units, smooth(index.bm25(stemsOf(text))));
    },
  };
}
