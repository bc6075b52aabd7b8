import { sentences, tfIdfScores } from "@palimpsest/context/internal";
import type { NoteDraft } from "./note.js";
import { readTurn } from "./turns.js";

/** Characters of a note: shorter sentences say nothing without what stands around them, longer ones are dumps. */
const [shortest, longest] = [20, 240];
/** Notes of one turn at most. */
const mostOfTurn = 8;

export interface TurnSource {
  readonly threadId: string;
  readonly path: string;
  /** The text of the turn's file. */
  readonly text: string;
}

/**
 * Returns the sentences of a turn in which the user states something, word for word, those with the rarest words first. Questions
 * state nothing. Pure, O(characters).
 */
export function extractNotes({ threadId, path, text }: TurnSource): readonly NoteDraft[] {
  const { at, lines } = readTurn(text);
  const stated = lines
    .filter(({ type }) => type === "human")
    .flatMap(({ text: one, line, messageId }) =>
      sentences(one)
        .filter(isStatement)
        .map((sentence) => ({ text: sentence, line, ...(messageId === undefined ? {} : { messageId }) })),
    );
  const scores = tfIdfScores(stated.map(({ text: one }) => one));
  return stated
    .map((statement, index) => ({ statement, score: scores[index] ?? 0 }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, mostOfTurn)
    .toSorted((a, b) => a.statement.line - b.statement.line)
    .map(({ statement }) => ({ threadId, path, at, ...statement }));
}

function isStatement(sentence: string): boolean {
  const { length } = sentence;
  return length >= shortest && length <= longest && !question.test(sentence) && letters.test(sentence);
}

const question = /[?？؟\u037e]["'”’»)]*$/;
const letters = /\p{L}{2}/u;
