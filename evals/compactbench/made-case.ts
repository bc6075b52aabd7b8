import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { randomFrom } from "../data/random-from.js";
import { families, type Family, type Item } from "./families.js";
import { actions, fillerTurn, people, projects } from "./lexicon.js";
import { pick } from "../data/pick.js";

export const difficulties = ["easy", "medium", "hard", "elite"] as const;
export type Difficulty = (typeof difficulties)[number];

/** Turns of filler between what is said and the question about it, by the rules of CompactBench. */
const fillerTurns: Readonly<Record<Difficulty, number>> = { easy: 4, medium: 8, hard: 16, elite: 32 };

/** A conversation, and what has to be known after it is compacted. */
export interface Case {
  readonly family: Family;
  readonly difficulty: Difficulty;
  readonly seed: number;
  readonly turns: readonly BaseMessage[];
  readonly items: readonly Item[];
  /** What no answer may propose. */
  readonly forbidden: readonly string[];
}

/** Returns the case of a family, difficulty and seed. The seed chooses one of the family's templates as well. Pure. */
export function makeCase(family: Family, difficulty: Difficulty, seed: number): Case {
  const random = randomFrom(seed);
  const three = (items: readonly string[]): readonly [string, string, string] => {
    const [one, two] = [pick(items, random), pick(items, random)];
    const third = pick(items, random);
    return new Set([one, two, third]).size === 3 ? [one, two, third] : three(items);
  };
  const variables = { people: three(people), project: pick(projects, random), actions: three(actions) };
  const templates = families[family];
  // Neighbouring seeds take the templates of a family in turn.
  const { before, last, items, forbidden } = templates[seed % templates.length]!(variables);
  const filler = Array.from({ length: fillerTurns[difficulty] }, (_, at) => fillerTurn(random, at % 2 === 0));
  // A family's turns end with the assistant, and the filler as well: so the user speaks last.
  const turns = [...before, ...filler, last].map((content, at) =>
    at % 2 === 0 ? new HumanMessage({ id: `u${at}`, content }) : new AIMessage({ id: `a${at}`, content }),
  );
  return { family, difficulty, seed, turns, items, forbidden };
}
