import { random, wholeTexts } from "../recall/lanes.js";
import type { Comparison, Table } from "../suite.js";
import type { Reading } from "./chat.js";
import { ourSearch, type PlayedChat } from "./play-chat.js";
import { expectedAnswers, heldOut, ratesOf, recalledOf, shareOf, wholeShareOf, type Rate } from "./rates.js";
import { groupsOf } from "../metrics/groups-of.js";
import { mean } from "../metrics/quantile.js";
import { percent, withInterval } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";

/** A chat of which a share is compacted by a system. */
export interface Row {
  readonly chat: string;
  readonly share: number;
  readonly system: string;
  readonly played: PlayedChat;
}

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
    rows: [...readings.map(recordedRow), ...rows.map((row) => answerRow(row, expected))],
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

/** Returns for how many facts the evidence stands in the context or in the answer of one search, as a share. */
function reachedBy({ played }: Row, search: string): number {
  return shareOf(played.inSight.map((isInSight, at) => isInSight || played.found[search]?.[at] === true));
}

function recordedRow({ run, compactedShare, model, summaryTokens, verdicts }: Reading): string[] {
  const whole = wholeShareOf(verdicts).toFixed(3);
  const system = `recorded: a summary of ${summaryTokens} tokens by ${model}`;
  const share = percent(compactedShare, 0);
  return [run, share, system, "–", whole, "–", "–", "–", whole, shown(recalledOf(verdicts)), "–"];
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
  return tableOf(all, {
    title: "Answers that the rates of one half of the facts predict for the other",
    columns: [
      ["chat", ({ reading }) => reading.run],
      ["compacted", ({ reading }) => percent(reading.compactedShare, 0)],
      ["expected", ({ expected }) => expected.share.toFixed(3)],
      ["answered", ({ answered }) => shown(answered)],
    ],
    note: `Mean error ${mean(errors).toFixed(3)}, at most ${Math.max(...errors).toFixed(3)}.`,
  });
}

/** Returns the expected answers with one search beside those of the recorded summary, for each chat and share. */
export function answerComparisons(rows: readonly Row[], readings: readonly Reading[]): readonly Comparison[] {
  const reader = bestReader(readings);
  if (reader === undefined) return [];
  const answersOf = (share: number) => expectedAnswers(share, ratesOf(reader)).share;
  return rows.flatMap((row): Comparison[] => {
    const recorded = readings.find(
      ({ run, compactedShare }) => run === row.chat && compactedShare === row.share,
    );
    if (recorded === undefined) return [];
    const rivals = {
      "the recorded summary, without a search": wholeShareOf(recorded.verdicts),
      "the same context, BM25 over whole turns in as many tokens": reachedBy(row, wholeTexts.name),
    };
    return [
      {
        measure: `answers expected with one search, ${row.chat}, ${percent(row.share, 0)} compacted, ${row.system}`,
        unit: "share",
        better: "higher",
        ours: answersOf(reachedBy(row, ourSearch)),
        rivals: Object.entries(rivals).map(([name, share]) => ({ name, value: answersOf(share) })),
        margin,
      },
    ];
  });
}

/** Returns the readings of each model. */
function readersOf(readings: readonly Reading[]): readonly (readonly Reading[])[] {
  return groupsOf(readings, ({ model }) => model).map(([, own]) => own);
}

/** Returns the readings of the model that answers most of what stands in front of it. */
function bestReader(readings: readonly Reading[]): readonly Reading[] | undefined {
  return readersOf(readings).toSorted((one, other) => answeredBy(other) - answeredBy(one))[0];
}

function answeredBy(readings: readonly Reading[]): number {
  return ratesOf(readings).verbatim.share;
}

function shown({ share, low, high }: Rate): string {
  return withInterval({ mean: share, low, high });
}

function counted(rate: Rate): string {
  return `${shown(rate)}, ${rate.count} questions`;
}
