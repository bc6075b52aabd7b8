import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialogue, Question } from "../data/dialogue.js";
import type { HistoryClient } from "./history-client.js";

/** A conversation of several meetings, each of them a thread of its own. */
export interface Meetings {
  readonly name: string;
  /** Files to import: one for each meeting. */
  readonly files: readonly string[];
  readonly questions: readonly Question[];
}

/** Hits of one search: several of them may be in one meeting. The most that the tool shows. */
const meetingHits = 20;

/** Writes each meeting of a conversation as a session. The id of a turn begins with its meeting: D3:12. */
export function meetingsOf({ id, turns, questions }: Dialogue, folder: string): Meetings {
  mkdirSync(folder, { recursive: true });
  const names = [...new Set(turns.map((turn) => meetingOf(turn.id)))];
  const files = names.map((name) => {
    const path = join(folder, `${id}-${name}.jsonl`);
    const said = turns.filter((turn) => meetingOf(turn.id) === name);
    const lines = said.map(({ text, time }) => ({ role: "user", content: text, timestamp: time }));
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return path;
  });
  return { name: id, files, questions };
}

/** Returns the rank of the first meeting that holds evidence, counted from 1, among those of the hits; infinite for none. */
export async function rankOf(question: Question, name: string, client: HistoryClient): Promise<number> {
  const hits = await client.search(question.text, undefined, meetingHits);
  const meetings = [...new Set(hits.map(({ thread }) => thread))];
  const held = new Set(question.evidence.map((turn) => `${name}-${meetingOf(turn)}`));
  const rank = meetings.findIndex((thread) => held.has(thread));
  return rank < 0 ? Infinity : rank + 1;
}

function meetingOf(turn: string): string {
  return turn.split(":", 1)[0] ?? "";
}
