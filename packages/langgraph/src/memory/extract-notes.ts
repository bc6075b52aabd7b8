import { sentences, tfIdfScores } from "@palimpsest/context/internal";
import type { NoteDraft } from "./note.js";
import { readTurn } from "./turns.js";

/** Characters of a note: shorter ones say nothing without what stands around them, longer ones are dumps. */
const [shortest, longest] = [20, 240];
/** Share of a note's characters that are letters, marks and spaces: code and tables have less. */
const proseShare = 0.7;
/** Notes of one turn at most. */
const mostOfTurn = 8;

export interface TurnSource {
  readonly threadId: string;
  readonly path: string;
  /** The text of the turn's file. */
  readonly text: string;
}

/**
 * Returns what the user states in a turn, word for word: at most 8 sentences, those with the rarest words. Of a question it takes
 * what stands before its last comma, because people say what they have and then ask. Pure, O(characters).
 */
export function extractNotes({ threadId, path, text }: TurnSource): readonly NoteDraft[] {
  const { at, lines } = readTurn(text);
  const stated = lines
    .filter(({ type }) => type === "human")
    .flatMap(({ text: one, line, messageId }) =>
      sentences(one)
        .flatMap(statementIn)
        .map((statement) => ({ text: statement, line, ...(messageId === undefined ? {} : { messageId }) })),
    );
  const scores = tfIdfScores(stated.map(({ text: one }) => one));
  return stated
    .map((statement, index) => ({ statement, score: scores[index] ?? 0 }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, mostOfTurn)
    .toSorted((a, b) => a.statement.line - b.statement.line)
    .map(({ statement }) => ({ threadId, path, at, ...statement }));
}

/** Returns the leading clauses of a sentence that state something; none for a bare question. */
function statementIn(sentence: string): readonly string[] {
  const clauses = sentence.split(clauseEnd);
  const stated = question.test(sentence) ? clauses.slice(0, -1) : clauses;
  let text = "";
  for (const clause of stated) {
    if (text.length + clause.length > longest) break;
    text += clause;
  }
  const statement = text.replace(trailing, "");
  const letters = statement.match(prose)?.length ?? 0;
  const isStated = statement.length >= shortest && letters >= proseShare * statement.length;
  return isStated ? [statement] : [];
}

/** After a comma, where no digit follows directly. */
const clauseEnd = /(?<=[,;，、；،](?!\d))/u;
const trailing = /[\s,;，、；،]+$/u;
const prose = /[\p{L}\p{M}\s]/gu;
const question = /[?？؟\u037e]["'”’»)]*$/;
