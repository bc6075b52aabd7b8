import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { groupsOf } from "../metrics/groups-of.js";
import { normalized, type Chat, type Fact, type Reading } from "./chat.js";

interface RecordedFact {
  readonly fact_id: string;
  readonly question: string;
  readonly question_type: string;
  readonly keywords: readonly string[];
  /** Index of the first message of the fact, and the one after its last. */
  readonly message_start: number;
  readonly message_end: number;
  readonly compacted: boolean;
  readonly recalled: boolean;
}

interface RecordedMessage {
  readonly role: string;
  readonly content: string;
}

interface RecordedChat {
  readonly id: string;
  readonly model: string;
  readonly questions_per_prompt: number;
  readonly compacted_share: number;
  readonly facts: readonly RecordedFact[];
  readonly messages: readonly RecordedMessage[];
}

/** What was recorded of a run: the same facts in chats of which more and more was compacted. */
export interface ReadRun {
  readonly readings: readonly Reading[];
  /** The chat of which the least was compacted, without its summary and the facts in it. */
  readonly chat: Chat;
}

/** Returns the runs of "Lost in Compaction" below a folder; none without it. */
export function readReadings(folder: string | undefined): readonly ReadRun[] {
  const path = join(folder ?? "", "lost-in-compaction");
  if (folder === undefined || !existsSync(path)) return [];
  const chats = readdirSync(path)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(path, name), "utf8")) as RecordedChat)
    .toSorted((one, other) => one.compacted_share - other.compacted_share);
  const runs = groupsOf(chats, ({ id }) => runOf(id)).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return runs.map(([, own]) => ({
    readings: own.map(readingOf),
    chat: wholeChat(own[0] as RecordedChat),
  }));
}

function runOf(id: string): string {
  return `Lost in Compaction ${id.replace(/-C\d+$/, "")}`;
}

function readingOf(chat: RecordedChat): Reading {
  return {
    run: runOf(chat.id),
    model: chat.model,
    questionsPerPrompt: chat.questions_per_prompt,
    compactedShare: chat.compacted_share,
    summaryTokens: Math.round((chat.messages[0]?.content.length ?? 0) / 4),
    verdicts: chat.facts.map((fact) => ({
      fact: fact.fact_id,
      isCompacted: fact.compacted,
      isRecalled: fact.recalled,
    })),
  };
}

function wholeChat({ id, facts, messages }: RecordedChat): Chat {
  // The summary and the reply that accepts it.
  const start = messages.findIndex(({ content }) => !content.startsWith("[Summary of "));
  const said = messages.slice(start === 0 ? 0 : start + 1);
  return {
    id: runOf(id),
    turns: said.map(({ role, content }) => ({ role, text: content })),
    facts: facts.filter(({ compacted }) => !compacted).map((fact) => toFact(fact, messages)),
  };
}

function toFact(fact: RecordedFact, messages: readonly RecordedMessage[]): Fact {
  const range = messages.slice(fact.message_start, fact.message_end);
  return { question: fact.question, kind: fact.question_type, passages: evidenceIn(range, fact.keywords) };
}

/**
 * Returns the evidence of a fact among its messages: the sentence with most keywords of the answer. Where none has half of them,
 * as with an answer "yes", all that the user said there.
 */
function evidenceIn(range: readonly RecordedMessage[], keywords: readonly string[]): readonly string[] {
  const wanted = keywords.map((word) => ` ${normalized(word)} `);
  let [best, most] = ["", 0];
  for (const { content } of range) {
    for (const sentence of content.split(/(?<=[.!?])\s+|\n+/)) {
      const words = ` ${normalized(sentence)} `;
      const count = wanted.filter((word) => words.includes(word)).length;
      if (count > most) [best, most] = [words.trim(), count];
    }
  }
  if (most > 0 && most >= wanted.length / 2) return [best];
  return range.filter(({ role }) => role === "user").map(({ content }) => normalized(content));
}
