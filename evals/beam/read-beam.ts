import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialogue } from "../data/dialogue.js";

interface RecordedChat {
  readonly id: string;
  readonly turns: readonly { readonly id: string; readonly role: string; readonly text: string }[];
  readonly questions: readonly {
    readonly type: string;
    readonly question: string;
    readonly answer?: string;
    readonly evidence: readonly string[];
  }[];
}

/**
 * Returns the chats of BEAM below a folder, with the questions that have gold evidence; undefined when there is no folder or it
 * has none.
 */
export function readBeam(folder: string | undefined, limit = Infinity): readonly Dialogue[] | undefined {
  const path = join(folder ?? "", "beam");
  if (folder === undefined || !existsSync(path)) return undefined;
  const files = readdirSync(path).filter((name) => name.endsWith(".json"));
  if (files.length === 0) return undefined;
  return files
    .toSorted()
    .slice(0, limit)
    .map((name) => toDialogue(JSON.parse(readFileSync(join(path, name), "utf8")) as RecordedChat));
}

function toDialogue({ id, turns, questions }: RecordedChat): Dialogue {
  return {
    id,
    turns: turns.map((turn) => ({ id: turn.id, speaker: turn.role, text: turn.text })),
    summaries: [],
    observations: [],
    questions: questions
      .filter(({ evidence }) => evidence.length > 0)
      .map(({ type, question, answer, evidence }) => ({
        text: question,
        ...(answer === undefined ? {} : { answer }),
        evidence,
        category: type.replaceAll("_", " "),
      })),
  };
}
