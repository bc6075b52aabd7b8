import type { ContextLimits } from "@palimpsest/langgraph";
import { random } from "../recall/lanes.js";
import { sumOf } from "../metrics/sum-of.js";
import type { Suite } from "../suite.js";
import { generatedChats, type Chat, type Reading } from "./chat.js";
import { ourSearch, playChat } from "./play-chat.js";
import { readReadings } from "./read-readings.js";
import { shareOf } from "./rates.js";
import { answerComparisons, answerTable, heldOutTable, rateTable, type Row } from "./report-readers.js";

const shares = [0.25, 0.5, 0.98];
/** Least share of questions that the most careful reader is expected to answer, with one search at the largest share compacted. */
const leastAnswers = 0.75;

/** Measures what a reader of a compacted chat is expected to answer, by rates of real readers. */
export const readers: Suite = async ({ data, quick = false, progress }) => {
  const runs = readReadings(data);
  const readings = runs.flatMap((run) => run.readings);
  const chats = runs.length === 0 ? generatedChats(quick) : runs.map(({ chat }) => chat);
  const rows: Row[] = [];
  for (const chat of chats) {
    for (const share of quick ? shares.slice(-1) : shares) {
      progress(`${chat.id}, ${Math.round(100 * share)} % compacted`);
      rows.push(...(await rowsOf(chat, share, readings)));
    }
  }
  return {
    suite: "readers",
    question:
      "How many questions is a model expected to answer after a compaction, by what real models answered?",
    cases: sumOf(chats, ({ facts }) => facts.length),
    passed: runs.length === 0 ? beatsChance(rows) : reaches(rows, readings),
    tables: [
      answerTable(rows, readings),
      ...(readings.length === 0 ? [] : [rateTable(readings), heldOutTable(readings)]),
    ],
    charts: [],
    comparisons: answerComparisons(rows, readings),
    numbers: { leastAnswers, rows, readings },
  };
};

async function rowsOf(chat: Chat, share: number, readings: readonly Reading[]): Promise<readonly Row[]> {
  const recorded = readings.find(({ run, compactedShare }) => run === chat.id && compactedShare === share);
  const row = async (system: string, limits: ContextLimits = {}) => {
    return { chat: chat.id, share, system, played: await playChat(chat, { share, limits }) };
  };
  return [
    ...(recorded === undefined
      ? []
      : [await row("ours, at the size of the recorded summary", sized(recorded))]),
    await row("ours, default"),
  ];
}

/** Returns limits with which an extracted summary and the user's lines beside it take about as much as a recorded summary. */
function sized({ summaryTokens }: Reading): ContextLimits {
  const part = Math.max(1, Math.round(summaryTokens / 4));
  return { userMessages: 1, userLines: part, excerpts: part, summary: 2 * part };
}

function reaches(rows: readonly Row[], readings: readonly Reading[]): boolean {
  const last = answerComparisons(rows, readings).filter(({ measure }) => measure.includes("98 %"));
  return last.length > 0 && last.every(({ ours }) => ours >= leastAnswers);
}

function beatsChance(rows: readonly Row[]): boolean {
  return rows.every((row) => shareOf(row.played.found[ourSearch]) > shareOf(row.played.found[random.name]));
}
