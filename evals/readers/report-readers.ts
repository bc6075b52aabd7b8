import { random, wholeTexts } from "../recall/lanes.js";
import type { Comparison, Table } from "../suite.js";
import type { Reading } from "./chat.js";
import { ourSearch } from "./play-chat.js";
import { expectedAnswers, heldOut, rateOf, ratesOf, type Rate, type ReaderRates } from "./rates.js";
import { reachedBy, shareOf, type Row } from "./rows.js";
import { percent, withInterval } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";

/** Noise of the measure: the half width of the interval of a reader's rate, about. */
const margin = 0.05;
const note =
  "Evidence: the sentence of the original messages with most keywords of the answer, or all that the user said there if none has " +
  "half of them; it counts only word for word and whole. One search: the question, with the default number of passages. Tokens " +
  "are characters / 4. The recorded row has real answers; what is expected of the others is their share of evidence in front of " +
  "the reader times its rate, plus the rest times its rate where the messages are summarized.";

/** Returns what stands in front of a reader, and how many answers are expected of the reader that answers most. */
export function answerTable(rows: readonly Row[], readings: readonly Reading[]): Table {
  const reader = bestReader(readings);
  const rates = reader === undefined ? undefined : ratesOf(reader);
  const expected = (share: number) => (rates === undefined ? "–" : shown(expectedAnswers(share, rates)));
  return {
    title: "Evidence in front of a reader, and answers expected of it",
    columns: [
      "chat",
      "compacted",
      "system",
      "context tokens",
      "in sight",
      `one ${ourSearch} shows`,
      "of as many tokens, BM25",
      "random",
      "in sight or found",
      "expected answers in sight",
      "with one search",
    ],
    rows: [...recordedRows(readings), ...rows.map((row) => answerRow(row, expected))],
    note: reader === undefined ? note : `${note} Rates of ${reader[0]?.model}.`,
  };
}

function answerRow(row: Row, expected: (share: number) => string): (string | number)[] {
  const { chat, share, system, played } = row;
  const found = (search: string) => shareOf(played.found[search]).toFixed(3);
  const reached = reachedBy(row, ourSearch);
  return [
    chat,
    percent(share, 0),
    system,
    played.contextTokens,
    shareOf(played.inSight).toFixed(3),
    `${found(ourSearch)} in ${Math.round(played.answerTokens)} tokens`,
    found(wholeTexts.name),
    found(random.name),
    reached.toFixed(3),
    expected(shareOf(played.inSight)),
    expected(reached),
  ];
}

function recordedRows(readings: readonly Reading[]): (string | number)[][] {
  return readings.map(({ run, compactedShare, model, summaryTokens, verdicts }) => {
    const whole = shareOf(verdicts.map(({ isCompacted }) => !isCompacted)).toFixed(3);
    const answered = rateOf(verdicts.filter(({ isRecalled }) => isRecalled).length, verdicts.length);
    const system = `recorded: a summary of ${summaryTokens} tokens by ${model}`;
    return [run, percent(compactedShare, 0), system, "–", whole, "–", "–", "–", whole, shown(answered), "–"];
  });
}

/** Returns how often each reader answered. */
export function rateTable(readings: readonly Reading[]): Table {
  return tableOf(readersOf(readings), {
    title: "What real readers answered",
    columns: [
      ["reader", ([first]) => first?.model ?? ""],
      ["questions a prompt", ([first]) => first?.questionsPerPrompt ?? 1],
      ["evidence word for word", (own) => counted(ratesOf(own).verbatim)],
      ["evidence summarized", (own) => counted(ratesOf(own).summarized)],
    ],
    note: "With the interval of Wilson that holds 95 of 100.",
  });
}

/** Returns the predictions for each half of the facts from the other. */
export function heldOutTable(readings: readonly Reading[]): Table {
  const all = readersOf(readings).flatMap(heldOut);
  const errors = all.map(({ expected, answered }) => Math.abs(expected.share - answered.share));
  const mean = errors.reduce((sum, error) => sum + error, 0) / Math.max(1, errors.length);
  return tableOf(all, {
    title: "Answers that the rates of one half of the facts predict for the other",
    columns: [
      ["chat", ({ reading }) => reading.run],
      ["compacted", ({ reading }) => percent(reading.compactedShare, 0)],
      ["expected", ({ expected }) => expected.share.toFixed(3)],
      ["answered", ({ answered }) => shown(answered)],
    ],
    note: `Mean error ${mean.toFixed(3)}, at most ${Math.max(...errors).toFixed(3)}.`,
  });
}

/** Returns the expected answers with one search beside those of the recorded summary, for each chat and share. */
export function answerComparisons(rows: readonly Row[], readings: readonly Reading[]): readonly Comparison[] {
  const reader = bestReader(readings);
  if (reader === undefined) return [];
  const rates = ratesOf(reader);
  return rows.flatMap((row): Comparison[] => {
    const recorded = readings.find(
      ({ run, compactedShare }) => run === row.chat && compactedShare === row.share,
    );
    if (recorded === undefined) return [];
    return [
      {
        measure: `answers expected with one search, ${row.chat}, ${percent(row.share, 0)} compacted, ${row.system}`,
        unit: "share",
        better: "higher",
        ours: answersOf(reachedBy(row, ourSearch), rates),
        rivals: [
          {
            name: "the recorded summary, without a search",
            value: answersOf(shareOf(recorded.verdicts.map(({ isCompacted }) => !isCompacted)), rates),
          },
          {
            name: "the same context, BM25 over whole turns in as many tokens",
            value: answersOf(reachedBy(row, wholeTexts.name), rates),
          },
        ],
        margin,
      },
    ];
  });
}

function answersOf(share: number, rates: ReaderRates): number {
  return expectedAnswers(share, rates).share;
}

/** Returns the readings of each model. */
function readersOf(readings: readonly Reading[]): readonly (readonly Reading[])[] {
  const models = new Set(readings.map(({ model }) => model));
  return [...models].map((model) => readings.filter((reading) => reading.model === model));
}

/** Returns the readings of the model that answers most of what stands in front of it. */
function bestReader(readings: readonly Reading[]): readonly Reading[] | undefined {
  return readersOf(readings).toSorted((one, other) => verbatimShare(other) - verbatimShare(one))[0];
}

function verbatimShare(readings: readonly Reading[]): number {
  return ratesOf(readings).verbatim.share;
}

function shown({ share, low, high }: Rate): string {
  return withInterval({ mean: share, low, high });
}

function counted(rate: Rate): string {
  return `${shown(rate)}, ${rate.count} questions`;
}
