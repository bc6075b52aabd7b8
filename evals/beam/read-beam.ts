import type { Dialogue, Question } from "../data/dialogue.js";
import { readJsonFiles } from "../data/read-dialogues.js";

interface RecordedChat {
  readonly id: string;
  /** How long the chat is, in tokens: "100K". */
  readonly size: string;
  readonly turns: readonly {
    readonly id: string;
    readonly role: string;
    readonly text: string;
    readonly session?: number;
  }[];
  readonly questions: readonly {
    readonly type: string;
    readonly question: string;
    readonly answer?: string;
    readonly evidence: readonly string[];
    readonly parts?: Readonly<Record<string, readonly string[]>>;
  }[];
}

/**
 * Returns the chats of BEAM below a folder, with the questions that have gold evidence; undefined when there is no folder or it
 * has none.
 */
export function readBeam(folder: string | undefined, limit = Infinity): readonly Dialogue[] | undefined {
  return readJsonFiles(folder, "beam")
    ?.slice(0, limit)
    .map(({ value }) => toDialogue(value() as RecordedChat));
}

function toDialogue({ id, size, turns, questions }: RecordedChat): Dialogue {
  return {
    id,
    length: size,
    turns: turns.map(({ id: turn, role, text, session }) => ({
      id: turn,
      speaker: role,
      text,
      ...(session === undefined ? {} : { session: String(session) }),
    })),
    summaries: [],
    observations: [],
    questions: questions
      .filter(({ evidence }) => evidence.length > 0)
      .map(({ type, question, answer, evidence, parts }) => ({
        text: question,
        ...(answer === undefined ? {} : { answer }),
        evidence,
        category: type.replaceAll("_", " "),
        ...updatedIn(parts),
      })),
  };
}

function updatedIn(parts: RecordedChat["questions"][number]["parts"]): Pick<Question, "updated"> {
  const { original_info: older = [], updated_info: newer = [] } = parts ?? {};
  return older.length === 0 || newer.length === 0 ? {} : { updated: { older, newer } };
}
