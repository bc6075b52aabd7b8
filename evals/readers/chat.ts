import { generateAssistance } from "../data/made/generate-dialogue.js";

/** A fact that somebody is asked for after the chat was compacted. */
export interface Fact {
  readonly question: string;
  readonly kind: string;
  /** What must stand in front of a reader, word for word: all of it, {@link normalized}. */
  readonly passages: readonly string[];
}

/** A chat with everything that was said in it. */
export interface Chat {
  readonly id: string;
  readonly turns: readonly { readonly role: string; readonly text: string }[];
  readonly facts: readonly Fact[];
}

/** What became of a fact when a model compacted the chat and was asked. */
export interface Verdict {
  readonly fact: string;
  /** The messages of the fact had been summarized. */
  readonly isCompacted: boolean;
  readonly isRecalled: boolean;
}

/** A chat whose oldest part a model has summarized, and its answers. */
export interface Reading {
  readonly run: string;
  readonly model: string;
  readonly questionsPerPrompt: number;
  /** Share of the chat that the summary covers. */
  readonly compactedShare: number;
  /** Tokens of the summary, of four characters. */
  readonly summaryTokens: number;
  readonly verdicts: readonly Verdict[];
}

/** Returns generated chats of a user with an assistant: nobody has answered their questions. */
export function generatedChats(quick: boolean): readonly Chat[] {
  return [1, 2].map((seed) => {
    const { id, turns, questions } = generateAssistance(seed, quick ? 8 : 40);
    const texts = new Map(turns.map((turn) => [turn.id, turn.text]));
    return {
      id: `${id} ${seed}`,
      turns: turns.map(({ speaker, text }) => ({ role: speaker, text })),
      facts: questions.map(({ text, category, evidence }) => ({
        question: text,
        kind: category,
        passages: evidence.map((turn) => normalized(texts.get(turn) ?? "")),
      })),
    };
  });
}

/** Returns the words of a text in lower case, one space between them: markup and breaks of lines are no part of what was said. */
export function normalized(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
