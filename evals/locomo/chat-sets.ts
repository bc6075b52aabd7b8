import type { Dialogue } from "../data/dialogue.js";
import { generateAssistance, generateDialogue } from "../data/made/generate-dialogue.js";
import { readBeam, readDialogues } from "../data/read-dialogues.js";
import type { SuiteOptions } from "../suite.js";
import { denseEncoder, hashedWords } from "./embedding-rankings.js";
import { predictiveContext, searchByMeaning, searchHistory } from "./product-rankings.js";
import { publishedBudgets } from "./reproduction.js";
import {
  bm25,
  bm25FirstSpeaker,
  bm25Neighbours,
  observations,
  oracle,
  random,
  recency,
  type Ranking,
} from "./rankings.js";

/** Conversations of one kind, and how they are measured. */
export interface ChatSet {
  /** Heading of `docs/choosing.md`. */
  readonly title: string;
  readonly name: string;
  readonly dialogues: readonly Dialogue[];
  readonly rankings: readonly Ranking[];
  /** In tokens. */
  readonly budgets: readonly number[];
  /** Draws of the random control. */
  readonly seeds: readonly number[];
  /** Whether what ships has to be level with the best other ranking. */
  readonly isBarred: boolean;
}

/** Returns the chats of two people, LoCoMo's where there are any, and those of a user with an assistant, BEAM's where there are any. */
export function chatSets({ data, quick = false }: Pick<SuiteOptions, "data" | "quick">): readonly ChatSet[] {
  return [twoPeople(data, quick), withAssistant(data, quick)];
}

function twoPeople(data: string | undefined, quick: boolean): ChatSet {
  const recorded = readDialogues(data);
  // Longer than the largest budget: below it every ranking shows everything.
  const dialogues = recorded ?? [1, 2].map((seed) => generateDialogue(seed, quick ? 12 : 32));
  const hasNotes = dialogues.every(({ observations: notes }) => notes.length > 0);
  const ofTurns = [recency, random, bm25, bm25Neighbours, hashedWords, denseEncoder];
  // In generated conversations each ranking of words finds all the evidence: the slowest of all would say nothing there.
  const slow = recorded === undefined ? [] : [searchByMeaning];
  return {
    title: "Chats of two people",
    name: recorded === undefined ? "generated conversations" : "LoCoMo",
    dialogues,
    rankings: [
      ...ofTurns,
      predictiveContext,
      searchHistory,
      ...slow,
      oracle,
      ...(hasNotes ? [observations] : []),
    ],
    budgets: quick ? [500, 2_000] : publishedBudgets,
    seeds: [1, 2, 3, 4, 5],
    isBarred: true,
  };
}

function withAssistant(data: string | undefined, quick: boolean): ChatSet {
  const recorded = readBeam(data, quick ? 2 : Infinity);
  const lexical = [recency, random, bm25, bm25Neighbours, bm25FirstSpeaker];
  return {
    title: "Chats with an assistant",
    name: recorded === undefined ? "generated chats with an assistant" : "BEAM",
    dialogues: recorded ?? [1, 2].map((seed) => generateAssistance(seed, quick ? 4 : 8)),
    rankings: [...lexical, predictiveContext, searchHistory, oracle],
    budgets: [2_000, 4_000, 8_000],
    seeds: [1, 2, 3],
    // Made chats, and the two of a quick run, tell chance from search, and nothing of which search is best.
    isBarred: recorded !== undefined && !quick,
  };
}
